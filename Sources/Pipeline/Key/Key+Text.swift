extension Key {
    /// The key whose ``text`` this is, byte for byte; nil for any other text, also for one that only means the same.
    public init?(text: String) {
        var parts = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).makeIterator()
        guard let first = parts.next(), let pipeline = PercentEncoding.decoded(first) else { return nil }
        var parameters: [Parameter] = []
        while let part = parts.next() {
            guard let equals = part.firstIndex(of: UInt8(ascii: "=")), let name = PercentEncoding.decoded(part[..<equals]),
                let value = PercentEncoding.decoded(part[part.index(after: equals)...])
            else { return nil }
            parameters.append(Parameter(name: name, value: value))
        }
        self.init(pipeline: pipeline, parameters: parameters)
        // Every key has exactly one text. A text in another spelling or another order is not one.
        guard self.text.utf8.elementsEqual(text.utf8), hasDistinctNames else { return nil }
    }

    private var hasDistinctNames: Bool {
        zip(parameters, parameters.dropFirst()).allSatisfy { !$0.name.utf8.elementsEqual($1.name.utf8) }
    }
}

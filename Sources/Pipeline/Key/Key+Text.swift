extension Key {
    /// The key whose ``text`` this is, byte for byte; nil for any other text, also for one that only means the same.
    public init?(text: String) {
        guard let (pipeline, parameters) = Self.parts(of: text) else { return nil }
        self.init(pipeline: pipeline, parameters: parameters)
        // Every key has exactly one text. A text in another spelling or another order is not one.
        guard self.text.utf8.elementsEqual(text.utf8), Self.areDistinct(parameters) else { return nil }
    }

    /// What a text of this form stands for, in its order; nil for one of another form.
    static func parts(of text: String) -> (pipeline: String, parameters: [Parameter])? {
        var parts = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).makeIterator()
        guard let first = parts.next(), let pipeline = PercentEncoding.decoded(first) else { return nil }
        var parameters: [Parameter] = []
        while let part = parts.next() {
            guard let equals = part.firstIndex(of: UInt8(ascii: "=")), let name = PercentEncoding.decoded(part[..<equals]),
                let value = PercentEncoding.decoded(part[part.index(after: equals)...])
            else { return nil }
            parameters.append(Parameter(name: name, value: value))
        }
        return (pipeline, parameters)
    }

    /// Whether no name of `sorted` stands twice.
    private static func areDistinct(_ sorted: [Parameter]) -> Bool {
        zip(sorted, sorted.dropFirst()).allSatisfy { !$0.name.utf8.elementsEqual($1.name.utf8) }
    }
}

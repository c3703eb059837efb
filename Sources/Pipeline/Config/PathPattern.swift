/// Recognises the paths that a path template can give, so that `clear` finds a pipeline's files and no others.
struct PathPattern {
    enum Part {
        case literal(String)
        /// One filled-in value: a file name, or several that `%/` joins.
        case value
        /// The parameters within `{key}`: nothing, or `,name=value…`.
        case parameters
    }

    private let parts: [Part]

    init(_ parts: [Part]) {
        self.parts = parts
    }

    func matches(_ path: String) -> Bool {
        matches(Array(path.utf8)[...], parts[...])
    }

    private func matches(_ path: ArraySlice<UInt8>, _ parts: ArraySlice<Part>) -> Bool {
        guard let part = parts.first else { return path.isEmpty }
        let rest = parts.dropFirst()
        switch part {
        case .literal(let text):
            return path.starts(with: text.utf8) && matches(path.dropFirst(text.utf8.count), rest)
        case .value:
            return matchesValue(path, then: rest)
        case .parameters:
            return matches(path, rest)
                || (path.first == UInt8(ascii: ",") && matchesValue(path.dropFirst(), then: rest))
                || (path.starts(with: "%/,".utf8) && matchesValue(path.dropFirst(3), then: rest))
        }
    }

    private func matchesValue(_ path: ArraySlice<UInt8>, then rest: ArraySlice<Part>) -> Bool {
        var end = path.startIndex
        while end < path.endIndex {
            if path[end] == UInt8(ascii: "/"), end == path.startIndex || path[end - 1] != UInt8(ascii: "%") { return false }
            end += 1
            if matches(path[end...], rest) { return true }
        }
        return false
    }
}

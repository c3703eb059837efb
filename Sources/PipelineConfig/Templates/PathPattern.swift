/// Recognises the paths that a path template can give, so that `clear` finds a pipeline's files and no others.
struct PathPattern {
    enum Part {
        case literal(String)
        /// A value that satisfies the condition, which gets it as it was before it was laid out.
        case value(PathValue.Ending, _ isPossible: (ArraySlice<UInt8>) -> Bool)
    }

    private let parts: [Part]

    init(_ parts: [Part]) {
        self.parts = parts
    }

    func matches(_ path: String) -> Bool {
        var rest = Array(path.utf8)[...]
        for (index, part) in parts.enumerated() {
            switch part {
            case .literal(let text):
                guard rest.starts(with: text.utf8) else { return false }
                rest = rest.dropFirst(text.utf8.count)
            case .value(.tail, let isPossible):
                guard let value = beforeTail(parts[(index + 1)...], in: rest) else { return false }
                return isPossible(withoutLayout(value))
            case .value(let ending, let isPossible):
                guard let value = value(in: rest, until: ending), isPossible(withoutLayout(value)) else { return false }
                rest = rest[value.endIndex...]
                if case .marker = ending { rest = rest.dropFirst(2) }
            }
        }
        return rest.isEmpty
    }

    /// What stands before the fixed text that ends the path.
    private func beforeTail(_ tail: ArraySlice<Part>, in path: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let text = tail.flatMap { if case .literal(let text) = $0 { Array(text.utf8) } else { [UInt8]() } }
        let value = path.dropLast(text.count)
        guard !value.isEmpty, path.suffix(text.count).elementsEqual(text), hasOnlyLayoutFolders(value) else { return nil }
        return value
    }

    private func hasOnlyLayoutFolders(_ value: ArraySlice<UInt8>) -> Bool {
        value.indices.allSatisfy {
            value[$0] != UInt8(ascii: "/") || ($0 > value.startIndex + 1 && value[$0 - 1] == UInt8(ascii: "%") && $0 + 1 < value.endIndex)
        }
    }

    /// The value that `path` begins with.
    private func value(in path: ArraySlice<UInt8>, until ending: PathValue.Ending) -> ArraySlice<UInt8>? {
        if path.first == UInt8(ascii: "%"), !beginsWithEscape(path) { return path.prefix(1) }
        var end = path.startIndex
        while end < path.endIndex {
            let rest = path[end...]
            if isEnded(by: rest, ending) { return end > path.startIndex ? path[..<end] : nil }
            if beginsWithEscape(rest) {
                end += 3
            } else if rest.starts(with: "%/".utf8), end > path.startIndex {
                end += 2
            } else if path[end] == UInt8(ascii: "%") || path[end] == UInt8(ascii: "/") {
                return nil
            } else {
                end += 1
            }
        }
        return nil
    }

    private func isEnded(by rest: ArraySlice<UInt8>, _ ending: PathValue.Ending) -> Bool {
        switch ending {
        case .tail: false
        case .byte(let byte): rest.first == byte
        case .marker: rest.starts(with: "%+".utf8)
        }
    }

    private func beginsWithEscape(_ text: ArraySlice<UInt8>) -> Bool {
        let digits = text.dropFirst().prefix(2)
        return text.first == UInt8(ascii: "%") && digits.count == 2 && digits.allSatisfy { "0123456789ABCDEF".utf8.contains($0) }
    }

    private func withoutLayout(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard value.contains(UInt8(ascii: "/")) else { return value }
        var result: [UInt8] = []
        for byte in value {
            if byte == UInt8(ascii: "/") { result.removeLast() } else { result.append(byte) }
        }
        return result[...]
    }
}

internal import PipelineJSON

/// Two merge patches (RFC 7396) as one.
enum JoinedPatch {
    /// The patch that does what `first` and then `second` do, on every value; nil if there is none.
    static func of(_ first: [UInt8], _ second: [UInt8]) -> [UInt8]? {
        if first == second { return second }
        return joined(first, 0..<first.count, second, 0..<second.count).map { Array($0.text.utf8) }
    }

    private static func joined(_ first: [UInt8], _ range: Range<Int>, _ second: [UInt8], _ later: Range<Int>) -> JSONText? {
        guard let changes = members(of: second, at: later) else { return .raw(Array(second[later])) }
        // What is an object after the first patch alone cannot be told from one that was there before.
        guard let members = members(of: first, at: range) else { return nil }
        var result: [(String, JSONText)] = []
        for member in members {
            guard let change = changes.first(where: { $0.name == member.name }) else {
                result.append((member.name, .raw(Array(first[member.value]))))
                continue
            }
            guard let text = joined(first, member.value, second, change.value) else { return nil }
            result.append((member.name, text))
        }
        for change in changes where !members.contains(where: { $0.name == change.name }) {
            result.append((change.name, .raw(Array(second[change.value]))))
        }
        return .object(result)
    }

    /// The members of an object, of each name the last one; nil for another value.
    private static func members(of text: [UInt8], at range: Range<Int>) -> [(name: String, value: Range<Int>)]? {
        guard let parts = JSONScanner.parts(of: text, at: range), parts.isObject else { return nil }
        var members: [(name: String, value: Range<Int>)] = []
        for part in parts.parts {
            guard let quoted = part.name else { return nil }
            let name = JSONScalar.string(text, at: quoted)
            members.removeAll { $0.name == name }
            members.append((name, part.value))
        }
        return members
    }
}

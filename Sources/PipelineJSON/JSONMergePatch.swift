/// JSON Merge Patch (RFC 7396) on bytes: what the patch does not name keeps its bytes.
///
/// Null removes a member, arrays are replaced. Where a name stands twice, the last one counts, and the patch leaves one of them.
package enum JSONMergePatch {
    /// `target` with `patch` applied. Both are JSON.
    package static func apply(_ patch: [UInt8], to target: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(target.count + patch.count)
        append(
            Value(patch, JSONScanner.parts(of: patch), 0..<patch.count),
            onto: Value(target, JSONScanner.parts(of: target), 0..<target.count), to: &text)
        return text
    }

    private struct Value {
        let bytes: [UInt8]
        let parts: JSONParts?
        let range: Range<Int>

        init(_ bytes: [UInt8], _ parts: JSONParts?, _ range: Range<Int>) {
            (self.bytes, self.parts, self.range) = (bytes, parts.flatMap { $0.isObject ? $0 : nil }, range)
        }

        func value(of part: JSONParts.Part) -> Value {
            Value(bytes, JSONScanner.parts(of: bytes, at: part.value), part.value)
        }

        func isNull(_ part: JSONParts.Part) -> Bool { bytes[part.value.lowerBound] == UInt8(ascii: "n") }

        /// The position of the last member of each name.
        var positions: [[UInt8]: Int] {
            var positions: [[UInt8]: Int] = [:]
            for (position, part) in (parts?.parts ?? []).enumerated() { positions[name(of: part)] = position }
            return positions
        }

        func name(of part: JSONParts.Part) -> [UInt8] { part.name.map { Array(JSONScalar.string(bytes, at: $0).utf8) } ?? [] }
    }

    private static func append(_ patch: Value, onto target: Value?, to text: inout [UInt8]) {
        guard let changes = patch.parts else {
            text += patch.bytes[patch.range]
            return
        }
        let wanted = patch.positions
        var isFirst = true
        text.append(UInt8(ascii: "{"))
        var done: Set<[UInt8]> = []
        if let target, let members = target.parts {
            let last = target.positions
            for (position, member) in members.parts.enumerated() {
                let name = target.name(of: member)
                guard let index = wanted[name] else {
                    JSONParts.append(lead: target.bytes[member.lead], isFirst: isFirst, to: &text)
                    text += target.bytes[member.value]
                    isFirst = false
                    continue
                }
                guard last[name] == position, !patch.isNull(changes.parts[index]) else { continue }
                JSONParts.append(lead: target.bytes[member.lead], isFirst: isFirst, to: &text)
                append(patch.value(of: changes.parts[index]), onto: target.value(of: member), to: &text)
                done.insert(name)
                isFirst = false
            }
        }
        for (position, change) in changes.parts.enumerated() {
            let name = patch.name(of: change)
            guard wanted[name] == position, !done.contains(name), !patch.isNull(change), let quoted = change.name else { continue }
            JSONParts.append(lead: patch.bytes[quoted] + [UInt8(ascii: ":")], isFirst: isFirst, to: &text)
            append(patch.value(of: change), onto: nil, to: &text)
            isFirst = false
        }
        if let target, let members = target.parts { text += target.bytes[members.tail] }
        text.append(UInt8(ascii: "}"))
    }
}

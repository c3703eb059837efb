internal import Pipeline

/// The text of a sidecar: a version line, records of `name: value` lines that begin with `payload`, and a checksum of all before it.
///
///     pipe-run-meta 1
///     payload: 42 1718000000123456789
///     key: friends,user=42
///     created: 1718000000000000000
///     etag: "abc"
///     end: 9ae16a3b2f90404f
extension Sidecar {
    /// The longest text that is read; a longer one is not a sidecar.
    static let longestText = 1 << 20

    private static let version = "pipe-run-meta 1"
    private static let end = "end: "

    /// The sidecar as bytes.
    var text: [UInt8] {
        var text = Self.version + "\n"
        for record in records { text += record.lines }
        text += Self.end + String(Checksum.fnv1a(text.utf8), radix: 16) + "\n"
        return Array(text.utf8)
    }

    /// Reads what ``text`` gives; nil for anything else, a text that ends too early or was changed included.
    init?(text: [UInt8]) {
        guard text.count <= Self.longestText, let text = String(validating: text, as: UTF8.self) else { return nil }
        guard let last = text.dropLast().utf8.lastIndex(of: UInt8(ascii: "\n")) else { return nil }
        let body = text[...last]
        guard text[body.endIndex...] == Self.end + String(Checksum.fnv1a(body.utf8), radix: 16) + "\n" else { return nil }
        var lines = body.utf8.split(separator: UInt8(ascii: "\n")).map { Substring($0) }[...]
        guard lines.popFirst() == Self.version[...] else { return nil }
        self.init(lines: lines)
    }

    private init?(lines: ArraySlice<Substring>) {
        var records: [SidecarRecord] = []
        var fields = SidecarFields()
        for line in lines {
            guard let (name, value) = SidecarFields.field(of: line) else { return nil }
            if name == SidecarFields.payload, !fields.isEmpty {
                guard let record = fields.record else { return nil }
                records.append(record)
                fields = SidecarFields()
            }
            guard fields.add(value, as: name) else { return nil }
        }
        guard let record = fields.record, records.count < 2 else { return nil }
        self.init(records: records + [record])
    }
}

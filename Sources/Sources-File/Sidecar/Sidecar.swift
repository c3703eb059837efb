internal import Pipeline

/// The metadata next to a payload, in `.NAME.meta`: one record, or two while a payload replaces another.
///
/// Payload and sidecar are two files, and no system renames two at once. So a sidecar first names both the payload that is
/// there and the one to come, and then the payload is renamed: at every instant the payload finds its own record, and
/// a payload that finds none was changed by other hands.
struct Sidecar: Equatable, Sendable {
    /// Oldest first; at most two.
    let records: [SidecarRecord]

    /// The knowledge about a payload.
    enum Finding {
        case record(SidecarRecord)
        /// The payload is one of these, less some of its bytes.
        case torn(PayloadIdentity)
        case nothing
    }

    /// The knowledge about the payload with `identity`.
    func finding(for identity: PayloadIdentity) -> Finding {
        // The last one first: after both renames it is the one that holds.
        if let record = records.last(where: { $0.identity == identity }) { return .record(record) }
        if let record = records.last(where: { identity.isTorn(from: $0.identity) }) { return .torn(record.identity) }
        return .nothing
    }

    /// The record of the payload with `identity`, or nil.
    func record(of identity: PayloadIdentity) -> SidecarRecord? {
        if case .record(let record) = finding(for: identity) { record } else { nil }
    }
}

/// The record that a sidecar keeps of one payload: its identity, its key, and its metadata.
struct SidecarRecord: Equatable, Sendable {
    let identity: PayloadIdentity
    /// The text of the key that the payload was written for.
    let key: String
    /// The entry, its payload left empty.
    let entry: Entry

    /// The record of `entry` as the payload with `identity`.
    init(of entry: Entry, key: String, identity: PayloadIdentity) {
        self.identity = identity
        self.key = key
        var entry = entry
        entry.payload = []
        self.entry = entry
    }
}

/// The facts that distinguish one payload at a path from another: its size and the time of its last change, in nanoseconds.
///
/// Neither device nor inode belongs to it, so that a folder that was copied with its times keeps its metadata.
struct PayloadIdentity: Equatable, Sendable {
    let size: Int
    let modified: Int64

    /// Indicates whether this payload was written as `recorded` and then lost bytes: same time, other size. An edit changes the time.
    ///
    /// After a power failure, a file that was not synced can have its name and times but not its bytes. A file system that keeps seconds
    /// alone cannot tell this from an edit within the second, and gets the benefit of the doubt.
    func isTorn(from recorded: PayloadIdentity) -> Bool {
        modified == recorded.modified && size != recorded.size && modified % 1_000_000_000 != 0
    }
}

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

/// FNV-1a, 64 bits: finds accidents, not attacks.
enum Checksum {
    static func fnv1a(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}

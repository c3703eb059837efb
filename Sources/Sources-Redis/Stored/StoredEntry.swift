import Pipeline

/// An entry as one value of the server: the payload, then what is known of it, then how long that is and a mark.
///
/// The payload stands first, so that it is read in its place; what was cut short lacks the mark.
/// All numbers are big-endian: `payload · fields · UInt32 size of the fields · "pr" · UInt8 version`.
enum StoredEntry {
    /// The most bytes of a value: what is larger is not stored.
    static let mostBytes = 64 << 20

    private static let mark = Array("pr".utf8)
    private static let version: UInt8 = 1
    private static let endSize = 4 + 3

    /// The bytes that follow the payload.
    static func trailer(of entry: Entry) -> [UInt8] {
        var writer = FieldBytes()
        writer.append(flag: entry.payload != nil)
        writer.append(UInt64(entry.payload?.count ?? 0))
        writer.append(entry.created)
        writer.append(entry.stored)
        writer.append(entry.freshUntil)
        for text in [entry.etag, entry.lastModified, entry.contentType, entry.version, entry.source] { writer.append(text) }
        // Left out where there is nothing to say, so that versions that do not know them read the copy.
        if entry.cacheControl != nil || entry.variant != nil {
            for text in [entry.cacheControl?.text, entry.variant] { writer.append(text) }
        }
        let size = UInt32(clamping: writer.bytes.count)
        writer.append(size)
        return writer.bytes + mark + [version]
    }

    /// The bytes that tell a stored entry from others of its key, and the offset where they begin: the last bytes of its payload, their
    /// number, and when it was created and stored. Two that are equal in all this hold the same value.
    static func identity(of entry: Entry) -> (bytes: [UInt8], offset: Int) {
        var writer = FieldBytes()
        writer.append(flag: entry.payload != nil)
        writer.append(UInt64(entry.payload?.count ?? 0))
        writer.append(entry.created)
        writer.append(entry.stored)
        let end = (entry.payload ?? []).suffix(mostCompared)
        return (end + writer.bytes, (entry.payload?.count ?? 0) - end.count)
    }

    /// The number of bytes of a payload that are sent to be compared.
    private static let mostCompared = 1_024

    /// The entry that `value` holds. Throws a ``SourceError`` of an invalid copy when it holds none.
    static func entry(in value: consuming [UInt8]) throws -> Entry {
        var (entry, payloadSize) = try trailer(in: value)
        if let payloadSize {
            // Nothing here refers to these bytes any more, so that the payload can stay where it is.
            value.removeLast(value.count - payloadSize)
            entry.payload = value
        }
        return entry
    }

    /// The entry that `value` holds, without its payload, and the size of the payload; nil if there is none.
    ///
    /// - Parameter skipped: the number of bytes of the value that come before these.
    static func trailer(in value: [UInt8], after skipped: Int = 0) throws -> (entry: Entry, payloadSize: Int?) {
        let end = value.count - endSize
        guard end >= 0, value[(end + 4)..<(end + 6)].elementsEqual(mark) else { throw torn }
        guard value[end + 6] == version else {
            throw SourceError("the copy has the format \(value[end + 6]), which is not known here: expected \(version)", kind: .invalid)
        }
        var size = FieldReader(value[end..<(end + 4)])
        let start = end - Int(try size.integer() as UInt32)
        guard start >= 0 else { throw torn }
        var reader = FieldReader(value[start..<end])
        let hasPayload = try reader.flag()
        guard try reader.integer() as UInt64 == UInt64(skipped + start) else { throw torn }
        let created = Timestamp(nanoseconds: try reader.integer())
        let (stored, freshUntil) = (try reader.moment(), try reader.moment())
        let (etag, lastModified, contentType) = (try reader.text(), try reader.text(), try reader.text())
        let (version, source) = (try reader.text(), try reader.text())
        let cacheControl = reader.isAtEnd ? nil : try reader.text()
        let variant = reader.isAtEnd ? nil : try reader.text()
        // A later version may append fields.
        while !reader.isAtEnd { _ = try reader.text() }
        var entry = Entry(
            [], created: created, stored: stored, freshUntil: freshUntil, etag: etag, lastModified: lastModified,
            contentType: contentType, version: version, source: source, cacheControl: cacheControl.map(CacheControl.init(text:)),
            variant: variant)
        entry.payload = nil
        return (entry, hasPayload ? skipped + start : nil)
    }

    static var torn: SourceError { SourceError("the copy is not as a cache wrote it", kind: .invalid) }
}

/// Values one after the other, each readable without the others' lengths.
struct FieldBytes {
    private(set) var bytes: [UInt8] = []

    mutating func append<Value: FixedWidthInteger>(_ value: Value) {
        for shift in stride(from: Value.bitWidth - 8, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }

    mutating func append(flag: Bool) {
        bytes.append(flag ? 1 : 0)
    }

    mutating func append(_ moment: Timestamp) {
        append(moment.nanoseconds)
    }

    mutating func append(_ moment: Timestamp?) {
        append(flag: moment != nil)
        if let moment { append(moment) }
    }

    mutating func append(_ text: String?) {
        append(flag: text != nil)
        guard let text else { return }
        append(UInt32(clamping: text.utf8.count))
        bytes += text.utf8
    }
}

/// Reads what ``FieldBytes`` wrote; throws where there is something else.
struct FieldReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func integer<Value: FixedWidthInteger>() throws -> Value {
        let size = Value.bitWidth / 8
        guard rest.count >= size else { throw StoredEntry.torn }
        defer { rest = rest.dropFirst(size) }
        return rest.prefix(size).reduce(0) { $0 << 8 | Value(truncatingIfNeeded: $1) }
    }

    mutating func flag() throws -> Bool {
        switch rest.popFirst() {
        case 0: false
        case 1: true
        default: throw StoredEntry.torn
        }
    }

    mutating func moment() throws -> Timestamp? {
        try flag() ? Timestamp(nanoseconds: try integer()) : nil
    }

    mutating func text() throws -> String? {
        guard try flag() else { return nil }
        let size = Int(try integer() as UInt32)
        guard rest.count >= size, let text = String(validating: rest.prefix(size), as: UTF8.self) else { throw StoredEntry.torn }
        rest = rest.dropFirst(size)
        return text
    }
}

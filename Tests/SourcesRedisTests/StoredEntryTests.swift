import Pipeline
import Testing

@testable import SourcesRedis

@Suite struct StoredEntryTests {
    private static let full = Entry(
        Array("[1,\"é\"]".utf8), created: Timestamp(nanoseconds: 7), stored: Timestamp(nanoseconds: -1),
        freshUntil: Timestamp(nanoseconds: .max - 1), etag: "\"e\"", lastModified: "Wed", contentType: "", version: "\u{0}", source: "api")

    private static let bound = Entry(
        [1], created: Timestamp(nanoseconds: 7), cacheControl: CacheControl(field: "max-age=60, no-cache"),
        variant: "accept 0123456789abcdef")

    private static var notFound: Entry {
        var entry = Entry.notFound(created: Timestamp(nanoseconds: 5))
        entry.freshUntil = Timestamp(nanoseconds: 6)
        return entry
    }

    private func value(_ entry: Entry) -> [UInt8] { (entry.payload ?? []) + StoredEntry.trailer(of: entry) }

    @Test(arguments: [full, bound, notFound, Entry([], created: Timestamp(nanoseconds: .min)), Entry([0], created: .distantFuture)])
    func `an entry is read back as it was`(entry: Entry) throws {
        #expect(try StoredEntry.entry(in: value(entry)) == entry)
    }

    @Test func `a value that was cut short or lengthened is invalid`() {
        let value = value(Self.full)

        for count in 0..<value.count {
            let head = #expect(throws: SourceError.self) { try StoredEntry.entry(in: Array(value.prefix(count))) }
            let tail = #expect(throws: SourceError.self) { try StoredEntry.entry(in: Array(value.suffix(count))) }
            #expect(head?.kind == .invalid && tail?.kind == .invalid)
        }
        #expect(throws: SourceError.self) { try StoredEntry.entry(in: value + [0]) }
        #expect(throws: SourceError.self) { try StoredEntry.entry(in: [0] + value) }
        #expect(throws: SourceError.self) { try StoredEntry.entry(in: value + value) }
    }

    @Test func `a copy of a version that knew less is read, and one that says more than is known`() throws {
        let plain = Entry([1], created: Timestamp(nanoseconds: 7), source: "api")
        var fields = FieldBytes()
        fields.append(flag: true)
        fields.append(UInt64(1))
        fields.append(Timestamp(nanoseconds: 7))
        for _ in 0..<6 { fields.append(flag: false) }
        fields.append("api")
        func value(_ fields: [UInt8]) -> [UInt8] {
            var size = FieldBytes()
            size.append(UInt32(fields.count))
            return [1] + fields + size.bytes + Array("pr".utf8) + [1]
        }

        #expect(try StoredEntry.entry(in: value(fields.bytes)) == plain)
        #expect(plain.payload.map { $0 + StoredEntry.trailer(of: plain) } == value(fields.bytes))
        for text in ["max-age=60", "accept 0", "of a later version"] { fields.append(text) }
        let read = try StoredEntry.entry(in: value(fields.bytes))
        #expect((read.cacheControl?.text, read.variant) == ("max-age=60", "accept 0"))
    }

    @Test func `a value of a later version says so`() {
        var value = value(Self.full)
        value[value.count - 1] = 2

        let error = #expect(throws: SourceError.self) { try StoredEntry.entry(in: value) }

        #expect(error?.kind == .invalid)
        #expect(error?.reason == "the copy has the format 2, which is not known here: expected 1")
    }

    @Test func `damage anywhere is an entry or invalid, and never worse`() {
        let value = value(Self.full)
        for index in value.indices {
            for byte: UInt8 in [0, 1, 2, 0x7F, 0x80, 0xFF] {
                var damaged = value
                damaged[index] = byte
                do {
                    _ = try StoredEntry.entry(in: damaged)
                } catch {
                    #expect((error as? SourceError)?.kind == .invalid)
                }
            }
        }
    }
}

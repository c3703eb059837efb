import Pipeline
import Testing

@testable import SourcesFile

@Suite struct SidecarTextTests {
    private let sidecar = Sidecar(records: [
        SidecarRecord(
            of: Entry([], created: Timestamp(nanoseconds: 1)), key: "friends", identity: PayloadIdentity(size: 0, modified: -7)),
        SidecarRecord(
            of: Entry(
                [9], created: Timestamp(nanoseconds: 2), stored: Timestamp(nanoseconds: 3), freshUntil: .distantFuture,
                etag: "\"%41\r\n\t\u{7F}é\"", lastModified: "Wed, 21 Oct", contentType: " ", version: "", source: "end: 0"),
            key: "friends,user=%2E", identity: PayloadIdentity(size: .max, modified: .max)),
    ])

    @Test func `the text reads back as it was`() {
        #expect(Sidecar(text: sidecar.text) == sidecar)
    }

    @Test func `the text is lines of names and values`() {
        let text = String(decoding: Sidecar(records: [sidecar.records[0]]).text, as: UTF8.self)

        #expect(text.hasPrefix("pipe-run-meta 1\npayload: 0 -7\nkey: friends\ncreated: 1\nend: "))
    }

    @Test func `what the origin says is a line of its own each`() throws {
        let entry = Entry(
            [], created: Timestamp(nanoseconds: 1), cacheControl: CacheControl(field: "max-age=60, no-cache"), variant: "accept 0")
        let record = SidecarRecord(of: entry, key: "friends", identity: PayloadIdentity(size: 0, modified: 1))
        let text = Sidecar(records: [record]).text

        #expect(String(decoding: text, as: UTF8.self).contains("\ncache_control: max-age=60, no-cache\nvariant: accept 0\n"))
        #expect(Sidecar(text: text)?.records == [record])
    }

    @Test func `a text cut anywhere is none`() {
        let text = sidecar.text

        for length in 0..<text.count { #expect(Sidecar(text: Array(text[..<length])) == nil) }
    }

    @Test func `a text with one byte changed is none`() {
        let text = sidecar.text

        for index in text.indices {
            for change: UInt8 in [1, 0x20, 0x80, 0xFF] {
                var changed = text
                changed[index] ^= change
                #expect(Sidecar(text: changed) == nil)
            }
        }
    }

    @Test(arguments: [
        "payload: 1 2\nkey: k\n", "payload: 1\nkey: k\ncreated: 1\n", "payload: -1 2\nkey: k\ncreated: 1\n",
        "payload: 1 2\nkey: k\ncreated: x\n", "payload: 1 2\nkey: k\ncreated: 1\ncreated: 1\n", "key: k\ncreated: 1\n", "no field\n",
        "payload: 1 2\nkey: k\ncreated: 1\nstored: 99999999999999999999\n", "payload: 1 2\nkey: k\ncreated: 1\netag: %4\n",
        "payload: 1 2\nkey: k\ncreated: 1\netag: %ff\n", "",
        String(repeating: "payload: 1 2\nkey: k\ncreated: 1\n", count: 3),
    ])
    func `lines that make no sense are none`(lines: String) {
        let body = "pipe-run-meta 1\n" + lines
        let text = body + "end: " + String(Checksum.fnv1a(body.utf8), radix: 16) + "\n"

        #expect(Sidecar(text: Array(text.utf8)) == nil)
    }

    @Test func `a line of a later version does no harm`() {
        let body = "pipe-run-meta 1\npayload: 1 2\nkey: k\ncreated: 1\ncolour: blue\n"
        let text = body + "end: " + String(Checksum.fnv1a(body.utf8), radix: 16) + "\n"

        #expect(Sidecar(text: Array(text.utf8))?.records.count == 1)
    }
}

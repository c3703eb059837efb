import Testing

@testable import SourcesSSE

/// The format of event streams (WHATWG HTML, section 9.2.6).
@Suite struct EventStreamReaderTests {
    typealias Item = EventStreamReader.Item

    private static func items(_ bytes: [UInt8], limit: Int = 1_000, lastID: String = "", cut: Int? = nil) throws -> [Item] {
        var reader = EventStreamReader(limit: limit, lastID: lastID)
        var items: [Item] = []
        for part in cut.map({ [bytes[..<$0], bytes[$0...]] }) ?? [bytes[...]] { try reader.read(part) { items.append($0) } }
        return items
    }

    private static func event(_ text: String, _ name: String = "message") -> Item { .event(Array(text.utf8), name: name) }

    @Test(arguments: [
        ("data: YHOO\ndata: +2\ndata: 10\n\n", [event("YHOO\n+2\n10")]),
        (
            ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
            [.comment, .id("1"), event("first event"), .id(""), event("second event"), event(" third event")]
        ),
        ("data\n\ndata\ndata\n\ndata:", [event(""), event("\n")]),
        ("data:test\n\ndata: test\n\n", [event("test"), event("test")]),
        ("event: add\ndata: 1\n\ndata: 2\n\n", [event("1", "add"), event("2")]),
        ("event: add\n\ndata: 2\n\n", [event("2")]),
        ("id: 7\n\n", [.id("7")]),
        ("id: 7\ndata: 1\n\ndata: 2\n\nid: 7\ndata: 3\n\n", [.id("7"), event("1"), event("2"), event("3")]),
        ("id: a\u{0}b\ndata: 1\n\n", [event("1")]),
        ("retry: 250\nretry: 1s\nretry:\nretry: +1\nretry: 99999999999999999999\n", [.retry(250), .retry(.max)]),
        ("nonsense: 1\ndatax: 1\n data: 1\n\n", []),
        (":\n:a\r:b\r\n", [.comment, .comment, .comment]),
        ("data: 1\r\rdata: 2\r\n\r\ndata: 3\n\r\n", [event("1"), event("2"), event("3")]),
        ("data: a:b\n\n", [event("a:b")]), ("data: 1\n", []), ("", []),
        ("\u{FEFF}data: 1\n\n\u{FEFF}data: 2\n\n", [event("1")]),
    ])
    func `events are read as the specification says`(text: String, items: [Item]) throws {
        #expect(try Self.items(Array(text.utf8)) == items)
    }

    @Test func `bytes that are not UTF-8 become U+FFFD`() throws {
        #expect(
            try Self.items(Array("data: ".utf8) + [0x61, 0xFF, 0xE2, 0x82, 0x62] + Array("\n\n".utf8)) == [Self.event("a\u{FFFD}\u{FFFD}b")]
        )
        #expect(try Self.items([0xEF, 0xBB] + Array(":\ndata: 1\n\n".utf8)) == [Self.event("1")])
    }

    @Test func `LV-36 a stream cut anywhere gives the same events`() throws {
        let text = "\u{FEFF}: hello\r\n\r\nid: 1\revent: grüße\rdata: ä😀\r\rretry: 5\r\ndata: 2\r\ndata: 3\r\n\r\n\n:\ndata\n\n"
        let bytes = Array(text.utf8)
        let whole = try Self.items(bytes)
        #expect(whole.count == 7)
        for cut in 0...bytes.count { #expect(try Self.items(bytes, cut: cut) == whole) }

        var reader = EventStreamReader(limit: 1_000)
        var single: [Item] = []
        for byte in bytes { try reader.read([byte]) { single.append($0) } }
        #expect(single == whole)
    }

    @Test(arguments: ["data: 12345678901\n\n", "data: 123456\ndata: 78901\n\n", "endless" + String(repeating: "x", count: 100)])
    func `LV-33 an event that is too long ends the reading`(text: String) {
        #expect(throws: EventStreamReader.TooLong.self) { try Self.items(Array(text.utf8), limit: 10) }
    }

    @Test func `an event of the limit is read, and comments have none`() throws {
        let comment = ":" + String(repeating: "x", count: 10_000) + "\n"
        #expect(try Self.items(Array((comment + "data: 1234567890\n\n").utf8), limit: 10) == [.comment, Self.event("1234567890")])
    }

    @Test func `the id of an earlier stream holds until another comes`() throws {
        #expect(try Self.items(Array("data: 1\n\nid: 7\ndata: 2\n\n".utf8), lastID: "6") == [Self.event("1"), .id("7"), Self.event("2")])
        #expect(try Self.items(Array("id: 6\ndata: 1\n\n".utf8), lastID: "6") == [Self.event("1")])
    }
}

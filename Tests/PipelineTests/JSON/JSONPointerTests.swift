import PipelineJSON
import Testing

@Suite struct JSONPointerTests {
    /// The document of RFC 6901, section 5.
    private static let document = Array(
        #"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}"#.utf8)

    @Test(arguments: [
        ("/foo", #"["bar","baz"]"#), ("/foo/0", #""bar""#), ("/", "0"), ("/a~1b", "1"), ("/c%d", "2"), ("/e^f", "3"), ("/g|h", "4"),
        ("/i\\j", "5"), ("/k\"l", "6"), ("/ ", "7"), ("/m~0n", "8"),
    ])
    func `PA-01 finds what RFC 6901 says in section 5`(pointer: String, value: String) throws {
        #expect(try Self.text(pointer, in: Self.document) == value)
    }

    @Test func `PA-01 the empty pointer is the whole value, without the white space around it`() throws {
        #expect(try Self.text("", in: Array(" [1] \n".utf8)) == "[1]")
    }

    @Test(arguments: [
        "/foo/2", "/foo/01", "/foo/-", "/foo/-1", "/foo/+1", "/foo/ 1", "/foo/1e0", "/foo/", "/bar", "/foo/0/0", "/~0~1",
        "/foo/99999999999999999999",
    ])
    func `PA-01 an index is digits without a leading zero, and what is not there is not found`(pointer: String) throws {
        #expect(try Self.text(pointer, in: Self.document) == nil)
    }

    @Test(arguments: [("/~2", 1), ("/a/~3", 3), ("/ab~x", 3), ("x", 0)])
    func `PA-01 a malformed pointer is an error that says where`(text: String, offset: Int) throws {
        let problem = #expect(throws: JSONPath.Problem.self) { try JSONPointer(parsing: text) }
        #expect(problem?.isMalformed == true)
        #expect(problem?.offset == offset)
        #expect(JSONPointer(text) == nil)
    }

    @Test(arguments: ["", "/", "//", "/a~1b/~0", "/é/0"])
    func `A pointer is written as it was read`(text: String) throws {
        #expect(try JSONPointer(parsing: text).description == text)
    }

    @Test func `A name that occurs twice on the way is an error, also where one is escaped, and elsewhere it is none`() throws {
        #expect(throws: JSONScanner.Problem.self) { try Self.text("/a", in: Array(#"{"a":1,"a":2}"#.utf8)) }
        #expect(throws: JSONScanner.Problem.self) { try Self.text("/a/b", in: Array(#"{"a":{"b":1},"\u0061":{}}"#.utf8)) }
        #expect(try Self.text("/b", in: Array(#"{"a":1,"a":2,"b":3}"#.utf8)) == "3")
        #expect(try Self.text("/b", in: Array(#"{"b":{"a":1,"a":2}}"#.utf8)) == #"{"a":1,"a":2}"#)
    }

    @Test func `Names are compared byte for byte, not as letters that look the same`() throws {
        let composed = Array("{\"\u{E9}\":1,\"e\u{301}\":2}".utf8)
        #expect(try Self.text("/\u{E9}", in: composed) == "1")
        #expect(try Self.text("/e\u{301}", in: composed) == "2")
    }

    private static func text(_ pointer: String, in payload: [UInt8]) throws -> String? {
        try JSONScanner.place(of: JSONPointer(parsing: pointer), in: payload).map { String(decoding: payload[$0.range], as: UTF8.self) }
    }
}

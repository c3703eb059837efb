import PipelineJSON
import Testing

@Suite struct JSONSpliceTests {
    private static let exact =
        #"{ "n" : 12345678901234567890 ,"d":1.10, "e":1E400,"z":-0 , "u":"\u00e9" , "l":[ {"id":"1"} , {"id":"2"} ] }"#

    @Test func `KO-23 every byte that is not replaced comes out as it went in`() throws {
        let payload = Array((" " + Self.exact + "\n").utf8)
        var splice = JSONSplice(payload)
        let ids = try JSONScanner.places(of: JSONPath("$.l[*].id"), in: payload)
        splice.add(JSONSplice.label("who"), JSONFragment(Array(" 1.10 ".utf8)), after: ids[0])
        splice.replace(ids[1], with: JSONFragment(Array(#"{"u":"\u00e9"}"#.utf8)))
        let expected = Self.exact.replacing(#"{"id":"1"}"#, with: #"{"id":"1","who":1.10}"#)
            .replacing(#"{"id":"2"}"#, with: #"{"id":{"u":"\u00e9"}}"#)
        #expect(String(decoding: try splice.assembled(limit: 1_000), as: UTF8.self) == " " + expected + "\n")
    }

    @Test func `Values are placed in the order of the text, whatever the order in which they are given`() throws {
        let payload = Array("[1,2,3]".utf8)
        let places = try JSONScanner.places(of: JSONPath("$[*]"), in: payload)
        var splice = JSONSplice(payload)
        for index in [2, 0, 1] { splice.replace(places[index], with: JSONFragment(Array("\(index)\(index)".utf8))) }
        #expect(String(decoding: try splice.assembled(limit: 100), as: UTF8.self) == "[00,11,22]")
    }

    @Test func `Two members added after one place keep their order`() throws {
        let payload = Array(#"{"a":1}"#.utf8)
        let place = try #require(try JSONScanner.place(of: JSONPointer(parsing: "/a"), in: payload))
        var splice = JSONSplice(payload)
        splice.add(JSONSplice.label("b"), JSONFragment(Array("2".utf8)), after: place)
        splice.add(JSONSplice.label("q\"\n"), .null, after: place)
        #expect(String(decoding: try splice.assembled(limit: 100), as: UTF8.self) == #"{"a":1,"b":2,"q\"\n":null}"#)
    }

    @Test(arguments: [
        (#"{"u":8}"#, "{}"), (#"{ "u" : 8 }"#, "{ }"), (#"{"u":8,"b":2}"#, #"{"b":2}"#), (#"{ "u":8 , "b":2 }"#, #"{ "b":2 }"#),
        (#"{"a":1,"u":8}"#, #"{"a":1}"#), (#"{ "a" : 1 , "u" : 8 }"#, #"{ "a" : 1 }"#), (#"{"a":1 , "u":8, "b":2}"#, #"{"a":1, "b":2}"#),
        (#"{"u":8,"v":9}"#, "{}"), (#"{"u":8,"v":9,"b":2}"#, #"{"b":2}"#), (#"{"u":8,"b":2,"v":9}"#, #"{"b":2}"#),
        (#"{"a":1,"u":8,"b":2,"v":9,"c":3}"#, #"{"a":1,"b":2,"c":3}"#), (#"{"a":1,"v":9,"u":8}"#, #"{"a":1}"#),
        ("{\n  \"u\": 8,\n  \"a\": \"\\u00e9\",\n  \"v\": 9\n}\n", "{\n  \"a\": \"\\u00e9\"\n}\n"),
    ])
    func `Members are removed with one comma each, and every other byte stays`(text: String, expected: String) throws {
        let payload = Array(text.utf8)
        var splice = JSONSplice(payload)
        for place in try JSONScanner.places(of: [JSONPath("/v"), JSONPath("/u")], in: payload).flatMap(\.self) { splice.remove(place) }

        #expect(String(decoding: try splice.assembled(limit: 100), as: UTF8.self) == expected)
    }

    @Test(arguments: [
        (#"{"u":8}"#, #"{"x":0,"y":0}"#), (#"{ "u":8 , "b":2}"#, #"{ "x":0,"y":0 , "b":2}"#), (#"{"a":1,"u":8}"#, #"{"a":1,"x":0,"y":0}"#),
        (#"{"v":9,"u":8,"b":2}"#, #"{"x":0,"y":0,"b":2}"#), (#"{"u":8,"v":9,"b":2}"#, #"{"x":0,"y":0,"b":2}"#),
    ])
    func `What is added after a removed member takes its place in the order`(text: String, expected: String) throws {
        let payload = Array(text.utf8)
        let places = try JSONScanner.places(of: [JSONPath("/u"), JSONPath("/v")], in: payload)
        var splice = JSONSplice(payload)
        for place in places.flatMap(\.self) { splice.remove(place) }
        for name in ["x", "y"] { splice.add(JSONSplice.label(name), JSONFragment(Array("0".utf8)), after: places[0][0]) }

        #expect(String(decoding: try splice.assembled(limit: 100), as: UTF8.self) == expected)
    }

    @Test func `Members of several objects are removed, and what would be placed in one goes with it`() throws {
        let payload = Array(#"[{"u":{"x":1,"u":2}},{"u":3,"b":{"u":4}}]"#.utf8)
        let paths = try ["$[*].u", "$[*].u.x", "$[*].u.u", "$[*].b.u"].map { try JSONPath($0) }
        let places = try JSONScanner.places(of: paths, in: payload)
        var splice = JSONSplice(payload)
        splice.add(JSONSplice.label("y"), .null, after: places[1][0])
        splice.replace(places[1][0], with: .null)
        for path in [0, 2, 3] { for place in places[path] { splice.remove(place) } }

        #expect(String(decoding: try splice.assembled(limit: 100), as: UTF8.self) == #"[{},{"b":{}}]"#)
        #expect(throws: JSONScanner.Problem.self) { try splice.assembled(limit: 12) }
        #expect(try splice.assembled(limit: 13).count == 13)
    }

    @Test func `A value in another that is replaced is an error`() throws {
        let payload = Array(#"{"a":{"b":1}}"#.utf8)
        let places = try JSONScanner.places(of: [JSONPath("/a"), JSONPath("/a/b")], in: payload)
        var splice = JSONSplice(payload)
        splice.replace(places[0][0], with: .null)
        splice.replace(places[1][0], with: .null)
        #expect(throws: JSONScanner.Problem.self) { try splice.assembled(limit: 100) }
    }

    @Test func `What is assembled is no larger than the limit, and no deeper than can be read`() throws {
        func nested(_ depth: Int) -> JSONFragment {
            JSONFragment(Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8))
        }
        let payload = Array("[[0]]".utf8)
        let place = try #require(try JSONScanner.place(of: JSONPointer(parsing: "/0/0"), in: payload))
        var splice = JSONSplice(payload)
        splice.replace(place, with: nested(510))
        let whole = try splice.assembled(limit: 1_024)
        #expect(whole.count == 1_024 && JSONScanner.problem(of: whole) == nil)
        #expect(throws: JSONScanner.Problem.self) { try splice.assembled(limit: 1_023) }
        splice = JSONSplice(payload)
        splice.replace(place, with: nested(511))
        #expect(throws: JSONScanner.Problem.self) { try splice.assembled(limit: 10_000) }
        #expect(try JSONFragment.array([nested(511)], limit: 10_000).depth == 512)
        let member = JSONFragment.Member(JSONSplice.label("a"), nested(512))
        #expect(throws: JSONScanner.Problem.self) { try JSONFragment.object([member], limit: 10_000) }
    }

    @Test func `Brackets in strings nest nothing`() {
        #expect(JSONFragment(Array(#"["[[\"[",{"a":"}"}]"#.utf8)).depth == 2)
    }

    @Test func `An object and an array are made of values in their order, each with its bytes`() throws {
        let exact = JSONFragment(Array((" " + Self.exact + " ").utf8))
        let object = try JSONFragment.object(
            [
                JSONFragment.Member(JSONSplice.label("me"), exact),
                JSONFragment.Member(JSONSplice.label("a\u{2028}\""), JSONFragment(string: "\u{7}é")),
            ], limit: 1_000)
        #expect(String(decoding: object.payload, as: UTF8.self) == #"{"me":"# + Self.exact + #","a\u2028\"":"\u0007é"}"#)
        #expect(object.depth == 4)
        let array = try JSONFragment.array([.null, object], limit: 1_000)
        #expect(String(decoding: array.payload, as: UTF8.self) == "[null," + String(decoding: object.payload, as: UTF8.self) + "]")
        #expect(try String(decoding: JSONFragment.array([], limit: 2).payload, as: UTF8.self) == "[]")
        #expect(throws: JSONScanner.Problem.self) { try JSONFragment.array([.null], limit: 5) }
        #expect(try JSONFragment.array([.null], limit: 6).payload.count == 6)
    }

    @Test func `A reference is a string, or a number as it is written`() {
        let texts = [
            #""42""#: "42", "42": "42", "42.0": "42.0", "1E2": "1E2", #""\u0061""#: "a", "true": nil, "null": nil, "{}": nil, "[]": nil,
        ]
        for (json, text) in texts {
            let bytes = Array(json.utf8)
            #expect(JSONScalar.reference(bytes, at: bytes.indices) == text, "\(json)")
        }
    }
}

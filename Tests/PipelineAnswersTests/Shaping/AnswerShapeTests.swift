import Pipeline
import PipelineAnswers
import PipelineJSON
import Testing

@Suite struct AnswerShapeTests {
    private static func shaped(_ body: String, _ shape: AnswerShape, headers: AnswerHeaders = [:]) throws -> String {
        String(decoding: try shape.shaped(Answer(body, headers: headers), limit: 1 << 20).payload, as: UTF8.self)
    }

    private static let exact = #"[ {"n" : 12345678901234567890,"d":1.10,"e":1E400 , "z":-0} ,"\u00e9" ]"#

    @Test func `AP-38 what is selected comes out byte for byte`() throws {
        #expect(try Self.shaped(#"{"a":1, "data" : \#(Self.exact) , "b":2}"#, AnswerShape(select: .place(at("/data")))) == Self.exact)
        #expect(try Self.shaped(#"{"a":{"b~/":[0, 1.0 ]}}"#, AnswerShape(select: .place(at("/a/b~0~1/1")))) == "1.0")
        #expect(try Self.shaped(" \(Self.exact)\n", AnswerShape()) == " \(Self.exact)\n")
        #expect(try Self.shaped(#"{"data":null}"#, AnswerShape(select: .place(at("/data")))) == "null")
    }

    @Test func `AP-38 a path makes a list of its places, also of one and of none`() throws {
        let body = #"{"a":[{"b": 1.10 },{"c":0},{"b": [ 2 ]}]}"#

        #expect(try Self.shaped(body, AnswerShape(select: AnswerShape.Selection(path("$.a[*].b")))) == "[1.10,[ 2 ]]")
        #expect(try Self.shaped(body, AnswerShape(select: AnswerShape.Selection(path("$.a[1].c")))) == "[0]")
        #expect(try Self.shaped(body, AnswerShape(select: AnswerShape.Selection(path("$.x[*]")), default: Array("7".utf8))) == "[]")
        #expect(try Self.shaped(body, AnswerShape(select: AnswerShape.Selection(path("/a/0/b")))) == "1.10")
    }

    @Test func `AP-41 a select that finds nothing is its default, else invalid with the place`() throws {
        let error = #expect(throws: SourceError.self) { try Self.shaped("{}", AnswerShape(select: .place(at("/files")))) }

        #expect(error?.kind == .invalid)
        #expect(error?.reason == "nothing stands at `/files`")
        #expect(try Self.shaped("{}", AnswerShape(select: .place(at("/files")), default: Array("[]".utf8))) == "[]")
        #expect(try Self.shaped(#"{"files":[1]}"#, AnswerShape(select: .place(at("/files")), default: Array("[]".utf8))) == "[1]")
        let picked = AnswerShape(select: .place(at("/files")), default: Array("null".utf8), pick: [("a", at("/a"))])
        #expect(try Self.shaped("{}", picked) == "null")
    }

    @Test func `AP-41 a field is a JSON string, also of an answer without a body`() throws {
        let shape = AnswerShape(select: .header("X-Subject-Token"))

        #expect(try Self.shaped("", shape, headers: ["x-subject-token": "a\"b\\c"]) == #""a\"b\\c""#)
        #expect(try Self.shaped("{}", shape, headers: ["X-Subject-Token": "a", "x-subject-token": "b"]) == #""a, b""#)
        let error = #expect(throws: SourceError.self) { try Self.shaped("{}", shape) }
        #expect(error?.reason == "nothing stands at the field `X-Subject-Token`")
    }

    @Test(arguments: [
        ("<html>", "the answer is not JSON: expected a value at byte 0"),
        ("", "the answer is not JSON: the text ends too early: expected a value at byte 0"),
        (#"{"a":1,"a":2}"#, "`select`: the name `a` occurs twice in an object"),
    ])
    func `An answer that is not JSON, or has a name twice on the way, is invalid`(body: String, reason: String) {
        let error = #expect(throws: SourceError.self) { try Self.shaped(body, AnswerShape(select: .place(at("/a")))) }

        #expect(error?.reason == reason)
        #expect(error?.kind == .invalid)
    }

    @Test func `An answer of which nothing is shaped stays as it came, whatever it is`() throws {
        #expect(try Self.shaped("<html>", AnswerShape()) == "<html>")
        #expect(try Self.shaped(#"{"a":1,"a":2}"#, AnswerShape(select: .place(at("")))) == #"{"a":1,"a":2}"#)
    }

    @Test(arguments: [
        (
            ["$.data[*].photo", "/meta"], #"{"meta":{"x":1},"data":[{"photo":"…","id":1} , {"id":2,"photo":[1]},{"id":3}], "n":1.10}"#,
            #"{"data":[{"id":1} , {"id":2},{"id":3}], "n":1.10}"#
        ),
        (["/data/0"], #"{"data":[1,2,3]}"#, #"{"data":[2,3]}"#), (["/data/0"], #"{"data":[ 1 , 2 ]}"#, #"{"data":[ 2 ]}"#),
        (["/data/1"], #"{"data":[1, 2, 3]}"#, #"{"data":[1, 3]}"#), (["/data/2", "/data/0"], "{\"data\":[1,2,3]}", "{\"data\":[2]}"),
        (["$.data[*]"], #"{"data":[ 1 , 2 ]}"#, #"{"data":[ ]}"#), (["$.data[0:2]"], #"{"data":[1,2,[3]]}"#, #"{"data":[[3]]}"#),
        (["/a", "/a/b"], #"{"a":{"b":1},"c":2}"#, #"{"c":2}"#), (["/x/y", "$.z[*].q"], #"{"a":1}"#, #"{"a":1}"#),
        (["/a", "$.a"], #"{"a":1,"b":2}"#, #"{"b":2}"#), (["/a/0/b", "/a/0"], #"{"a":[{"b":1,"c":2},3]}"#, #"{"a":[3]}"#),
        (["$.*"], #"{"a":1,"b":2}"#, "{}"),
    ])
    func `What is dropped is gone with one comma, every other byte stays, and what is not there is fine`(
        drop: [String], body: String, rest: String
    ) throws {
        #expect(try Self.shaped(body, AnswerShape(drop: drop.map(path))) == rest)
    }

    @Test func `AP-40 what is dropped cannot be selected`() throws {
        let shape = AnswerShape(drop: [path("/meta")], select: .place(at("/meta")))

        #expect(throws: SourceError.self) { try Self.shaped(#"{"meta":1,"data":2}"#, shape) }
    }

    @Test func `AP-42 elements without a member lack it, and where nothing is found in any each is empty, which is told`() throws {
        let pick: [(name: String, at: JSONPointer)] = [("id", at("/id")), ("sum", at("/total/amount"))]
        let body = #"[{"id":1, "total":{"amount": 1.10 }},{"total":{}},{"id":null}]"#
        let shape = AnswerShape(pick: pick)

        let shaped = try shape.shaped(Answer(body), limit: 1_000)
        let bare = try shape.shaped(Answer(#"[{"a":1},{}]"#), limit: 1_000)

        #expect(String(decoding: shaped.payload, as: UTF8.self) == #"[{"id":1,"sum":1.10},{},{"id":null}]"#)
        #expect(shaped.notice == nil)
        #expect(String(decoding: bare.payload, as: UTF8.self) == "[{},{}]")
        #expect(bare.notice == "nothing that `pick` names is there")
        #expect(try shape.shaped(Answer("[]"), limit: 1_000).notice == nil)
        #expect(try Self.shaped(#"{"total":{"amount":7},"id":"x"}"#, shape) == #"{"id":"x","sum":7}"#)
    }

    @Test(arguments: ["[1]", "7", #"[{"id":1},[]]"#])
    func `Nothing is picked from what is no object`(body: String) {
        let error = #expect(throws: SourceError.self) { try Self.shaped(body, AnswerShape(pick: [("id", at("/id"))])) }

        #expect(error?.reason == "`pick` wants objects")
    }

    @Test func `What is picked, or selected as a list, stays within the limit`() throws {
        let twice = AnswerShape(pick: [("a", at("")), ("b", at(""))])
        let body = #"{"x":"\#(String(repeating: "y", count: 100))"}"#

        #expect(throws: SourceError.self) { try twice.shaped(Answer(body), limit: 150) }
        #expect(try twice.shaped(Answer(body), limit: 1_000).payload.count == 2 * body.utf8.count + 11)
        #expect(throws: SourceError.self) {
            try AnswerShape(select: .places(path("$[*]"))).shaped(Answer("[1,2,3,4]"), limit: 8)
        }
    }

    @Test func `AP-39 a copy knows its shape: a fingerprint that every change of the rules changes`() {
        let shapes = [
            AnswerShape(drop: [path("/a")]), AnswerShape(drop: [path("/b")]), AnswerShape(drop: [path("/a"), path("/b")]),
            AnswerShape(format: .csv), AnswerShape(format: .xml), AnswerShape(lists: [PageList(at: at("/a"))]),
            AnswerShape(lists: [PageList(at: at("/a"), id: at("/id"))]), AnswerShape(lists: [PageList(at: at(""))]),
            AnswerShape(select: .place(at("/a"))), AnswerShape(select: .places(path("$.a"))), AnswerShape(select: .header("a")),
            AnswerShape(select: .place(at("/a")), default: Array("[]".utf8)), AnswerShape(pick: [("a", at("/a"))]),
            AnswerShape(pick: [("a", at("/a")), ("b", at("/b"))]), AnswerShape(pick: [("b", at("/b")), ("a", at("/a"))]),
            AnswerShape(graphql: "{ a }"), AnswerShape(graphql: "{ b }"), AnswerShape(select: .place(at(""))),
        ]

        let fingerprints = shapes.map(\.fingerprint)

        #expect(AnswerShape().fingerprint == nil)
        #expect(Set(fingerprints.compactMap(\.self)).count == shapes.count)
        #expect(fingerprints.allSatisfy { $0?.utf8.count == 16 })
        // The order of what is dropped makes no difference.
        #expect(AnswerShape(drop: [path("/b"), path("/a")]).fingerprint == shapes[2].fingerprint)
    }

    @Test(arguments: [
        ("/data", "/data"), ("$.data.children[*].data", "/data/children"), ("$['a/b'][*]", "/a~1b"), ("$.a[0].b[1:3].c", "/a/0/b"),
        ("$.a.b", "/a/b"), ("$[*]", ""), ("$.a[-1].b", "/a"), ("$.a['x','y']", "/a"),
    ])
    func `The list that is gathered is that of select, up to its first wildcard`(select: String, list: String) {
        let gathered = AnswerShape(select: AnswerShape.Selection(path(select))).gathered

        #expect(gathered == [PageList(at: at(list))])
        #expect(AnswerShape(lists: [PageList(at: at("/x"), id: at("/id"))], select: .place(at("/y"))).gathered.map(\.at) == [at("/x")])
        #expect(AnswerShape().gathered == [PageList(at: at(""))])
    }

    @Test(arguments: [
        (#"{"page_size": 100 }"#, "/start_cursor", #"{"page_size": 100,"start_cursor":7 }"#), ("{}", "/a", #"{"a":7}"#),
        ("{ }", "/a", #"{"a":7 }"#),
        (#"{"a":1,"b":2}"#, "/a", #"{"a":7,"b":2}"#), (#"{"variables":{}}"#, "/variables/after", #"{"variables":{"after":7}}"#),
        (#"{"variables":null}"#, "/variables/after", #"{"variables":{"after":7}}"#), ("{}", "/a/b~1c/d", #"{"a":{"b/c":{"d":7}}}"#),
        (#"{"r":[{"page":1},{}]}"#, "/r/1/page", #"{"r":[{"page":1},{"page":7}]}"#), (#"{"r":[1,2]}"#, "/r/0", #"{"r":[7,2]}"#),
        ("[1]", "", "7"),
        (#"{"a":null}"#, "/a", #"{"a":7}"#),
    ])
    func `A value is set at its place in a body, and every other byte stays`(body: String, place: String, result: String) throws {
        let set = try JSONSplice.setting(Array("7".utf8), at: at(place), in: Array(body.utf8))

        #expect(String(decoding: set, as: UTF8.self) == result)
        #expect(JSONScanner.problem(of: set) == nil)
    }

    @Test(arguments: [("[]", "/a"), (#"{"a":7}"#, "/a/b"), (#"{"a":[1]}"#, "/a/1"), (#"{"a":1,"a":2}"#, "/a"), ("", "/a")])
    func `No value is set where the way ends in something else`(body: String, place: String) {
        #expect(throws: JSONScanner.Problem.self) { try JSONSplice.setting(Array("7".utf8), at: at(place), in: Array(body.utf8)) }
    }

    @Test(arguments: [
        ("[]", "/a", "the text is no object that could take `a`"), (#"{"a":7}"#, "/a/b", "there is no object at `/a` to take `b`"),
        ("7", "/" + String(repeating: "x", count: 61), "the text is no object that could take `\(String(repeating: "x", count: 60))…`"),
    ])
    func `A place that takes no member is named`(body: String, place: String, message: String) {
        let problem = #expect(throws: JSONScanner.Problem.self) {
            try JSONSplice.setting(Array("7".utf8), at: at(place), in: Array(body.utf8))
        }

        #expect(problem?.message == message)
    }
}

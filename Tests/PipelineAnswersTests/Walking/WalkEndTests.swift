import Pipeline
import PipelineAnswers
import PipelineJSON
import Testing

/// Where a walk ends, and what it gathers until then.
@Suite struct WalkEndTests {
    private static let cursor = PageRules(next: .place(at("/next")), to: .query("cursor"), lists: [PageList(at: at("/data"))])
    private static let ended = PageRules(
        next: .place(at("/next")), to: .query("cursor"), ends: AnswerCondition(values: [(at("/more"), [.bool(false)])]),
        lists: [PageList(at: at("/data"))])

    @Test(arguments: ["", #","next":null"#, #","next":"""#, #","next":false"#])
    func `AP-43 absent, null, an empty text and false are the end`(next: String) {
        let play = WalkPlay(Self.cursor, [Answer(#"{"data":[1]\#(next)}"#)])

        #expect(play.end == .value(#"{"data":[1]\#(next)}"#))
        #expect(play.requests == [""])
    }

    @Test(arguments: [
        ("0", "cursor=0"), (#""0""#, "cursor=0"), (#""null""#, "cursor=null"), ("-1.50", "cursor=-1.50"), (#""a\u0062""#, "cursor=ab"),
    ])
    func `AP-43 zero is a cursor, and a number keeps its spelling`(next: String, request: String) {
        let play = WalkPlay(Self.cursor, [Answer(#"{"data":[1],"next":\#(next)}"#), Answer(#"{"data":[2]}"#)])

        #expect(play.requests == ["", request])
        #expect(play.value == #"{"data":[1,2],"next":\#(next)}"#)
    }

    @Test(arguments: [("{}", "an object"), ("[]", "a list"), ("true", "a bool"), (#""\ud800""#, "half a surrogate pair")])
    func `AP-43 anything else is no cursor`(next: String, kind: String) {
        let play = WalkPlay(Self.cursor, [Answer(#"{"data":[1],"next":\#(next)}"#)])

        #expect(play.reason == "page 1: what stands at `/next` is \(kind), and no cursor")
    }

    @Test func `AP-44 an empty page with a cursor goes on, and by offset it is the end`() {
        let pages = [Answer(#"{"data":[1],"next":"b"}"#), Answer(#"{"data":[],"next":"c"}"#), Answer(#"{"data":[2]}"#)]
        let counted = PageRules(next: .offset(0), to: .query("offset"), lists: [PageList(at: at("/data"))])

        #expect(WalkPlay(Self.cursor, pages).value == #"{"data":[1,2],"next":"b"}"#)
        #expect(WalkPlay(counted, pages).value == #"{"data":[1],"next":"b"}"#)
        #expect(WalkPlay(counted, pages).requests == ["offset=0", "offset=1"])
    }

    @Test func `AP-45 a page that is not the last one and names no next one is invalid`() {
        let play = WalkPlay(Self.ended, [Answer(#"{"data":[1],"more":true,"next":null}"#)])

        #expect(play.reason == "not the last page, and no next one")
        #expect(play.requests == [""])
    }

    @Test func `A page that says that it is the last one is, also with a cursor`() {
        let play = WalkPlay(
            Self.ended, [Answer(#"{"data":[1],"more":true,"next":"b"}"#), Answer(#"{"data":[2],"more":false,"next":"c"}"#)])

        #expect(play.value == #"{"data":[1,2],"more":true,"next":"b"}"#)
    }

    @Test(arguments: [nil, "/id"])
    func `AP-46 by page the last one comes again and again, and ends the walk after one of them`(id: String?) {
        let rules = PageRules(next: .page(1), to: .query("page"), lists: [PageList(at: at(""), id: id.map { at($0) })])
        let pages = [#"[{"id":1},{"id":2}]"#, #"[{"id":3},{"id":4}]"#, #"[{"id":5}]"#].map { Answer($0) }

        let play = WalkPlay(rules, pages)

        #expect(play.value == #"[{"id":1},{"id":2},{"id":3},{"id":4},{"id":5}]"#)
        #expect(play.requests == ["page=1", "page=2", "page=3", "page=4"])
    }

    @Test(arguments: [nil, "/id"])
    func `AP-47 of 50 that are asked for 20 come each time, and none is missing`(id: String?) {
        let rules = PageRules(next: .offset(0), to: .query("offset"), lists: [PageList(at: at(""), id: id.map { at($0) })])
        let all = (1...70).map { #"{"id":\#($0)}"# }

        let play = WalkPlay(rules) { request in
            guard case .query(_, let text) = request.change, let offset = Int(text) else { return Answer("", status: 400) }
            return Answer("[" + all.dropFirst(offset).prefix(20).joined(separator: ",") + "]")
        }

        #expect(play.value == "[" + all.joined(separator: ",") + "]")
        #expect(play.requests == (id == nil ? [0, 20, 40, 60, 70] : [0, 19, 38, 57, 69]).map { "offset=\($0)" })
    }

    @Test(arguments: [400, 404])
    func `AP-48 a status can be the end, and without that it is a failure`(status: Int) {
        var rules = PageRules(next: .page(1), to: .query("page"), lists: [PageList(at: at(""))])
        let pages = [Answer("[1]"), Answer("[2]"), Answer("<p>no such page", status: status)]

        #expect(WalkPlay(rules, pages).end == .refused(page: 3))
        rules.ends = AnswerCondition(statuses: [400, 404])
        let play = WalkPlay(rules, pages)

        #expect(play.end == .value("[1,2]"))
        #expect(play.walk.request.page == 3)
    }

    @Test func `A walk knows which answers that are no values it takes all the same`() {
        var rules = Self.cursor
        rules.ends = AnswerCondition(statuses: [404])
        rules.expired = AnswerCondition(statuses: [410])
        var walk = Walk(rules, AnswerShape(), links: .tested(), limit: 1_000)

        #expect(!walk.expects(Answer("", status: 404)))
        _ = walk.take(Answer(#"{"data":[1],"next":"b"}"#), from: .tested, isValue: true)

        #expect(walk.expects(Answer("", status: 404)))
        #expect(walk.expects(Answer("", status: 410)))
        #expect(!walk.expects(Answer("", status: 503)))
        #expect(!walk.expects(Answer("", status: 304)))
    }

    @Test func `A list that is absent has no elements, null is empty in the end, and other lists go on`() {
        let page = #"{"data":[1],"next":"b"}"#
        #expect(WalkPlay(Self.cursor, [Answer(page), Answer(#"{"meta":{}}"#)]).value == page)
        #expect(WalkPlay(Self.cursor, [Answer(page), Answer(#"{"data":null}"#)]).value == page)
        #expect(
            WalkPlay(Self.cursor, [Answer(#"{"meta":1,"next":"b"}"#), Answer(#"{"data":[1]}"#)]).value
                == #"{"meta":1,"next":"b","data":[1]}"#)
    }

    @Test func `AP-50 absent on all is absent, null on all is an empty list`() throws {
        let shape = AnswerShape(select: .place(at("/data")))
        func selected(_ pages: [String]) throws -> String {
            let play = WalkPlay(Self.cursor, pages.map { Answer($0) })
            let value = try #require(play.value)
            return String(decoding: try shape.shaped(gathered: Array(value.utf8), [:], limit: 1_000).payload, as: UTF8.self)
        }

        #expect(try selected([#"{"data":null,"next":"b"}"#, #"{"data":null}"#]) == "[]")
        #expect(try selected([#"{"next":"b"}"#, #"{"data":null}"#]) == "[]")
        #expect(throws: SourceError.self) { try selected([#"{"next":"b"}"#, "{}"]) }
    }

    @Test(arguments: [("{}", "an object"), ("7", "a number"), (#""x""#, "a text"), ("false", "a bool")])
    func `What is no list is invalid, with its page`(list: String, kind: String) {
        let play = WalkPlay(Self.cursor, [Answer(#"{"data":[1],"next":"b"}"#), Answer(#"{"data":\#(list)}"#)])

        #expect(play.reason == "page 2: what stands at `/data` is \(kind), and no list")
        let whole = PageRules(next: .page(1), to: .query("page"), lists: [PageList(at: at(""))])
        #expect(WalkPlay(whole, [Answer(list)]).reason == "page 1: the answer is \(kind), and no list")
    }

    @Test func `AP-51 no more elements come than are wanted, and no page more is asked for than that takes`() {
        var rules = Self.cursor
        rules.first = 5
        rules.total = at("/total")
        let pages = ["[1,2]", "[3,4]", "[5,6]", "[7]"].enumerated().map { Answer(#"{"data":\#($1),"next":"c\#($0)","total":99}"#) }

        let play = WalkPlay(rules, pages)

        #expect(play.value == #"{"data":[1,2,3,4,5],"next":"c0","total":99}"#)
        #expect(play.requests.count == 3)
        rules.first = 1
        #expect(WalkPlay(rules, pages).value == #"{"data":[1],"next":"c0","total":99}"#)
    }

    @Test func `AP-52 of two lists each element stands once, at its first place with its last bytes, beside the members of page 1`() {
        let rules = PageRules(
            next: .place(at("/meta/next")), to: .query("token"),
            lists: [PageList(at: at("/data"), id: at("/id")), PageList(at: at("/includes/users"), id: at("/id"))])
        let pages = [
            #"{"data":[{"id":"1"}],"includes":{"users":[{"id":"a","n":1},{"id":"b"}],"x":1},"meta":{"next":"t","page":1}}"#,
            #"{"data":[{"id":"2"}],"includes":{"users":[{"id":"b"},{"id":"a","n": 2}],"y":2},"meta":{"next":"u"},"more":1}"#,
            #"{"data":[{"id":"3"}],"includes":{"users":[{"id":"c"}]},"meta":{}}"#,
        ].map { Answer($0) }

        let play = WalkPlay(rules, pages)

        #expect(
            play.value
                == #"{"data":[{"id":"1"},{"id":"2"},{"id":"3"}],"includes":{"users":[{"id":"a","n": 2},{"id":"b"},{"id":"c"}],"x":1},"meta":{"next":"t","page":1}}"#
        )
    }

    @Test func `AP-52 a list that page 1 does not have gets its place`() {
        let rules = PageRules(
            next: .place(at("/next")), to: .query("token"), lists: [PageList(at: at("/data")), PageList(at: at("/includes/users"))])
        let play = WalkPlay(rules, [Answer(#"{"data":[1],"next":"t"}"#), Answer(#"{"data":[2],"includes":{"users":[7]}}"#)])

        #expect(play.value == #"{"data":[1,2],"next":"t","includes":{"users":[7]}}"#)
    }

    @Test func `An id is a text or a number as it is written, and every element has one`() {
        var rules = Self.cursor
        rules.lists = [PageList(at: at("/data"), id: at("/id"))]
        func play(_ elements: String) -> WalkPlay {
            WalkPlay(rules, [Answer(#"{"data":[{"id":42}],"next":"b"}"#), Answer(#"{"data":[\#(elements)]}"#)])
        }

        #expect(play(#"{"id":"42","x":1},{"id":42.0}"#).value == #"{"data":[{"id":"42","x":1},{"id":42.0}],"next":"b"}"#)
        for element in ["{}", #"{"id":null}"#, #"{"id":""}"#, #"{"id":{}}"#, "7", #"{"id":"\ud800"}"#] {
            #expect(play("{\"id\":1},\(element)").reason == "page 2: element 1 of `/data` has no id at `/id`")
        }
        #expect(play(#"{"id":1,"id":2}"#).reason == "page 2: the name `id` occurs twice in an object")
    }

    @Test func `Elements keep their bytes, and a walk of one page stays as it came`() {
        let page = "{ \"data\" : [ {\"n\" : 12345678901234567890 } ,\n 1.10 ] , \"x\": -0 }"
        var rules = Self.cursor

        #expect(WalkPlay(rules, [Answer(page)]).value == page)
        #expect(
            WalkPlay(rules, [Answer(#"{"data":[ 1.10 , {"a" : 1E400}],"next":"b"}"#), Answer("{\"data\":[\n\"\\u00e9\" ]}")]).value
                == #"{"data":[1.10,{"a" : 1E400},"\u00e9"],"next":"b"}"#)
        rules.lists = [PageList(at: at("/data"), id: at(""))]
        #expect(
            WalkPlay(rules, [Answer(#"{"data":[ "a" , "b" ],"next":"b"}"#), Answer(#"{"data":["b","a"]}"#)]).value
                == #"{"data":[ "a" , "b" ],"next":"b"}"#)
    }

    @Test func `AP-40 what is dropped still says where the next page is, when the walk ends, and how many must come`() {
        let rules = PageRules(
            next: .place(at("/meta/next")), to: .query("cursor"), ends: AnswerCondition(values: [(at("/meta/more"), [.bool(false)])]),
            lists: [PageList(at: at("/data"), id: at("/id"))], total: at("/meta/total"))
        let shape = AnswerShape(drop: [path("/meta"), path("$.data[*].photo")])
        let pages = [
            #"{"data":[{"id":1,"photo":"x"}],"meta":{"next":"b","more":true,"total":2}}"#,
            #"{"data":[{"photo":"y","id":2}],"meta":{"next":"c","more":false,"total":2}}"#,
        ].map { Answer($0) }

        let play = WalkPlay(rules, pages, shape: shape)

        #expect(play.value == #"{"data":[{"id":1},{"id":2}]}"#)
        #expect(play.requests == ["", "cursor=b"])
    }

    @Test func `The first page is not found, and a later one is refused`() {
        #expect(WalkPlay(Self.cursor, [Answer("", status: 404)]).end == .notFound)
        #expect(WalkPlay(Self.cursor, [Answer("", status: 410)]).end == .notFound)
        #expect(WalkPlay(Self.cursor, [Answer("", status: 503)]).end == .refused(page: 1))
        #expect(WalkPlay(Self.cursor, [Answer(#"{"data":[1],"next":"b"}"#), Answer("", status: 404)]).end == .refused(page: 2))
        #expect(WalkPlay(Self.cursor, [Answer("<html>")]).reason == "page 1: the answer is not JSON: expected a value at byte 0")
    }
}

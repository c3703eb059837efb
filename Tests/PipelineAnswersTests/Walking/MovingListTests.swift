import Pipeline
import PipelineAnswers
import PipelineJSON
import Testing

/// Lists that change between two pages.
@Suite struct MovingListTests {
    /// A server with a list of ids, of which a test changes some between requests.
    private final class Server {
        var ids: [Int]
        let size: Int
        var offsets: [Int] = []

        init(_ ids: some Sequence<Int>, size: Int) { (self.ids, self.size) = (Array(ids), size) }

        /// The page that a request asks for; `change` is called behind it, with the number of the request.
        func answer(_ request: PageRequest, total: Bool = false, change: (Int) -> Void = { _ in }) -> Answer {
            guard case .query(_, let text) = request.change, let offset = Int(text) else { return Answer("", status: 400) }
            defer { change(offsets.count) }
            return answer(at: offset, total: total)
        }

        func answer(at offset: Int, total: Bool = false) -> Answer {
            offsets.append(offset)
            let page = ids.dropFirst(offset).prefix(size).map { #"{"id":\#($0)}"# }.joined(separator: ",")
            return Answer(#"{"items":[\#(page)]\#(total ? #","total":\#(ids.count)"# : "")}"#)
        }
    }

    private static func rules(total: Bool = false, overlap: Int? = nil, max: Int = 100) -> PageRules {
        PageRules(
            next: .offset(0), to: .query("offset"), lists: [PageList(at: at("/items"), id: at("/id"))], total: total ? at("/total") : nil,
            overlap: overlap, max: max)
    }

    private static func ids(_ play: WalkPlay) throws -> [Int] {
        let value = Array(try #require(play.value).utf8)
        return try JSONScanner.places(of: JSONPath(eachOf: at("/items"), at("/id")), in: value).compactMap {
            Int(String(decoding: value[$0.range], as: UTF8.self))
        }
    }

    @Test(arguments: [1, 3, 7, 12])
    func `AP-60 elements that vanish in front between two pages hide none of the others, and none comes twice`(count: Int) throws {
        let server = Server(1...60, size: 10)

        let play = WalkPlay(Self.rules()) { request in
            server.answer(request) { if $0 == 2 { server.ids.removeFirst(count) } }
        }

        let ids = try Self.ids(play)
        #expect(Set(ids) == Set(1...60))
        #expect(ids.count == 60)
        #expect(play.restarts.isEmpty)
    }

    @Test func `AP-60 without an overlap they are missed`() throws {
        let server = Server(1...60, size: 10)

        let play = WalkPlay(Self.rules(overlap: 0)) { request in
            server.answer(request) { if $0 == 2 { server.ids.removeFirst(3) } }
        }

        #expect(try Self.ids(play) == Array(1...20) + Array(24...60))
    }

    @Test func `AP-60 what is inserted in front moves the pages, and none comes twice`() throws {
        let server = Server(1...60, size: 10)

        let play = WalkPlay(Self.rules()) { request in
            server.answer(request) {
                if $0 == 2 || $0 == 4 { server.ids.insert(contentsOf: [100 * $0, 100 * $0 + 1, 100 * $0 + 2], at: 0) }
            }
        }

        #expect(try Self.ids(play) == Array(1...60))
    }

    @Test func `AP-60 a page on which all was seen is not the end while others follow`() throws {
        let server = Server(1...60, size: 10)

        let play = WalkPlay(Self.rules()) { request in
            server.answer(request) { if $0 == 2 { server.ids.insert(contentsOf: 101...112, at: 0) } }
        }

        #expect(Set(try Self.ids(play)).isSuperset(of: 1...60))
    }

    @Test func `AP-60 a page that is empty because elements vanished in front is no end`() throws {
        let server = Server(1...22, size: 10)

        let play = WalkPlay(Self.rules()) { request in
            server.answer(request) { if $0 == 2 { server.ids.removeFirst(4) } }
        }

        #expect(try Self.ids(play) == Array(1...22))
        #expect(server.offsets == [0, 9, 18, 13, 17])
    }

    @Test func `A walk by offset asks for one element again, and ends with the page that has no other`() throws {
        let server = Server(1...25, size: 10)

        let play = WalkPlay(Self.rules()) { server.answer($0) }

        #expect(try Self.ids(play) == Array(1...25))
        #expect(server.offsets == [0, 9, 18, 24])
    }

    @Test func `A walk by offset ends with the total, as long as nothing moved`() throws {
        let server = Server(1...25, size: 10)

        let play = WalkPlay(Self.rules(total: true)) { server.answer($0, total: true) }

        #expect(try Self.ids(play) == Array(1...25))
        #expect(server.offsets == [0, 9, 18])
    }

    @Test func `A total that is reached because elements vanished ends nothing`() throws {
        let server = Server(1...21, size: 5)

        // With 17 there are as many as the total says then, four of which are gone, and the last four have not come.
        let play = WalkPlay(Self.rules(total: true)) { request in
            server.answer(request, total: true) { if $0 == 1 { server.ids.removeFirst(4) } }
        }

        #expect(play.restarts == ["21 of 17 elements came"])
        #expect(try Self.ids(play) == Array(5...21))
    }

    @Test(arguments: [0, 1, 2])
    func `Lists of few elements end`(count: Int) throws {
        let server = Server(0..<count, size: 10)

        #expect(try Self.ids(WalkPlay(Self.rules()) { server.answer($0) }) == Array(0..<count))
        #expect(server.offsets.count <= 2)
    }

    @Test func `A server that ignores the offset ends the walk with its second answer`() throws {
        let server = Server(1...5, size: 10)

        let play = WalkPlay(Self.rules()) { _ in server.answer(at: 0) }

        #expect(try Self.ids(play) == Array(1...5))
        #expect(play.requests.count == 2)
    }

    @Test func `Pages of one element leave no room for an overlap, and are not cut in silence`() {
        let server = Server(1...5, size: 1)

        let play = WalkPlay(Self.rules()) { server.answer($0) }

        #expect(play.reason == "the list changed while it was read: 1, 1, 1 elements")
        #expect(server.offsets.count < 40)
    }

    @Test func `AP-62 a list that is another one each time is asked for from the start, three times, with the counts`() {
        let server = Server(1...60, size: 10)

        let play = WalkPlay(Self.rules()) { request in
            server.answer(request) { number in server.ids = server.ids.map { $0 + 1_000 * number } }
        }

        #expect(play.reason == "the list changed while it was read: 10, 10, 10 elements")
        #expect(play.restarts == ["nothing of page 4 was seen before", "nothing of page 4 was seen before"])
        #expect(server.offsets == [0, 9, 4, 0, 0, 9, 4, 0, 0, 9, 4, 0])
    }

    @Test func `AP-62 a list that was replaced once is read from the start`() throws {
        let server = Server(1...30, size: 10)

        let play = WalkPlay(Self.rules()) { request in
            server.answer(request) { if $0 == 2 { server.ids = Array(101...130) } }
        }

        #expect(try Self.ids(play) == Array(101...130))
        #expect(play.restarts.count == 1)
    }

    private static let totalled = PageRules(
        next: .place(at("/next")), to: .query("cursor"), lists: [PageList(at: at("/data"))], total: at("/total"))

    @Test(arguments: [("2", "2"), (#""2""#, "2"), ("2.0", "2"), ("null", nil), (#""2""#, nil)])
    func `AP-63 so many elements come as the total says, also as text; it may stand on page 1 alone`(first: String, second: String?) {
        let pages = [
            Answer(#"{"data":[1],"next":"b","total":\#(first)}"#), Answer(#"{"data":[2]\#(second.map { #","total":\#($0)"# } ?? "")}"#),
        ]

        let play = WalkPlay(Self.totalled, pages)

        #expect(play.value == #"{"data":[1,2],"next":"b","total":\#(first)}"#)
    }

    @Test func `AP-63 a total that does not come out is asked for again, and after three walks is invalid`() {
        func answer(_ request: PageRequest, _ total: Int) -> Answer {
            request.page == 1
                ? Answer(#"{"data":[\#(request.walk)],"next":"b","total":\#(total)}"#) : Answer(#"{"data":[2,3],"total":\#(total)}"#)
        }

        let never = WalkPlay(Self.totalled) { answer($0, 2) }
        let second = WalkPlay(Self.totalled) { answer($0, $0.walk == 1 ? 2 : 3) }

        #expect(never.reason == "the list changed while it was read: 3 of 2")
        #expect(never.requests == ["", "cursor=b", "", "cursor=b", "", "cursor=b"])
        #expect(never.restarts == ["3 of 2 elements came", "3 of 2 elements came"])
        #expect(second.value == #"{"data":[2,2,3],"next":"b","total":3}"#)
    }

    @Test(arguments: ["true", "{}", #""many""#, "-1", "1.5"])
    func `AP-63 what is no number of elements is invalid`(total: String) {
        let play = WalkPlay(Self.totalled, [Answer(#"{"data":[1],"total":\#(total)}"#)])

        #expect(play.reason == "page 1: what stands at `/total` is no number of elements")
    }

    @Test(arguments: [400, 200])
    func `AP-64 where the cursor expires all is asked for from page 1, without the elements of before`(status: Int) {
        var rules = Self.totalled
        rules.expired = AnswerCondition(values: [(at("/0/errorCode"), [.string("INVALID_QUERY_LOCATOR")])])
        let play = WalkPlay(rules) { request in
            switch (request.walk, request.page) {
            case (1, 5): Answer(#"[{"errorCode":"INVALID_QUERY_LOCATOR"}]"#, status: status)
            case (_, 5): Answer(#"{"data":[\#(request.walk)5]}"#)
            default: Answer(#"{"data":[\#(request.walk)\#(request.page)],"next":"\#(request.walk)-\#(request.page)"}"#)
            }
        }

        #expect(play.value == #"{"data":[21,22,23,24,25],"next":"2-1"}"#)
        #expect(play.restarts == ["the cursor of page 5 has expired"])
        #expect(play.requests.count == 10)
    }

    @Test func `AP-64 a cursor that expires in every walk is invalid, with the counts`() {
        var rules = Self.totalled
        rules.total = nil
        rules.expired = AnswerCondition(statuses: [410])

        let play = WalkPlay(rules) { $0.page == 1 ? Answer(#"{"data":[1,2],"next":"b"}"#) : Answer("", status: 410) }

        #expect(play.reason == "the list changed while it was read: 2, 2, 2 elements")
        #expect(play.requests.count == 6)
    }
}

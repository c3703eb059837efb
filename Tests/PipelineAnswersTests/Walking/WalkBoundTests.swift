import Pipeline
import PipelineAnswers
import PipelineJSON
import Testing

/// A walk never runs away: loops, bounds, and what it keeps in memory.
@Suite struct WalkBoundTests {
    private static func rules(max: Int = 100, to: PageRules.Destination? = .query("cursor"), id: String? = nil) -> PageRules {
        PageRules(next: .place(at("/next")), to: to, lists: [PageList(at: at("/data"), id: id.map { at($0) })], max: max)
    }

    private static func page(_ data: String, _ next: String?) -> Answer {
        Answer(#"{"data":\#(data),"next":\#(next.map { "\"\($0)\"" } ?? "null")}"#)
    }

    @Test func `AP-53 the same cursor with elements leads back, on page 2`() {
        let play = WalkPlay(Self.rules(), [Self.page("[1]", "a")])

        #expect(play.reason == "page 2 leads back to page 2")
        #expect(play.requests == ["", "cursor=a"])
    }

    @Test func `AP-53 A, B, A leads back on page 3`() {
        let play = WalkPlay(Self.rules(), [Self.page("[1]", "a"), Self.page("[2]", "b"), Self.page("[3]", "a")])

        #expect(play.reason == "page 3 leads back to page 2")
    }

    @Test func `AP-53 the words name the page that was asked for with the cursor`() {
        let pages = ["a", "b", "c", "d", "e", "f", "b"].map { Self.page("[1]", $0) }

        #expect(WalkPlay(Self.rules(), pages).reason == "page 7 leads back to page 3")
    }

    @Test func `AP-53 the same cursor with an empty page is the end`() {
        let play = WalkPlay(Self.rules(), [Self.page("[1]", "a"), Self.page("[]", "a")])

        #expect(play.value == #"{"data":[1],"next":"a"}"#)
    }

    @Test func `AP-53 elements that were seen do not hide a loop`() {
        let page = Self.page(#"[{"id":1}]"#, "a")

        #expect(WalkPlay(Self.rules(id: "/id"), [page]).reason == "page 2 leads back to page 2")
    }

    @Test func `AP-53 a URL leads back also where it is written in another way, and to the first page`() {
        let own = Self.page("[1]", "https://API.example.org:443/v1/orders#x")
        let pages = [Self.page("[1]", "/2"), Self.page("[2]", "https://api.example.org/2")]

        #expect(WalkPlay(Self.rules(to: nil), [own]).reason == "page 1 leads back to page 1")
        #expect(WalkPlay(Self.rules(to: nil), pages).reason == "page 2 leads back to page 2")
    }

    @Test func `AP-54 a new cursor for ever ends with the bound, and nothing is cut`() {
        var number = 0
        let play = WalkPlay(Self.rules(max: 7)) { _ in
            number += 1
            return Self.page("[\(number)]", "c\(number)")
        }

        #expect(play.reason == "more than 7 pages (max)")
        #expect(play.requests.count == 7)
    }

    @Test func `AP-54 as many pages as the bound are a value`() {
        let pages = [Self.page("[1]", "a"), Self.page("[2]", "b"), Self.page("[3]", nil)]

        #expect(WalkPlay(Self.rules(max: 3), pages).value == #"{"data":[1,2,3],"next":"a"}"#)
        #expect(WalkPlay(Self.rules(max: 2), pages).reason == "more than 2 pages (max)")
        #expect(WalkPlay(Self.rules(max: 1), pages).reason == "more than 1 page (max)")
    }

    @Test func `AP-59 the bound of bytes is of what is left after drop, and memory stays flat`() {
        let photo = String(repeating: "x", count: 10_000)
        func page(_ number: Int) -> Answer {
            Answer(#"{"data":[{"id":\#(number),"photo":"\#(photo)"}],"next":\#(number < 50 ? "\"\(number)\"" : "null")}"#)
        }
        var most = 0
        let shape = AnswerShape(drop: [path("$.data[*].photo")])
        var walk = Walk(Self.rules(id: "/id"), shape, links: .tested(), limit: 20_500)
        var end = 0
        for number in 1...50 {
            guard case .ask = walk.take(page(number), from: .tested, isValue: true) else {
                end = number
                break
            }
            most = max(most, walk.footprint)
        }

        #expect(end == 50)
        #expect(most < 5_000)
        let reason = WalkPlay(Self.rules(id: "/id"), limit: 20_500) { page($0.page) }.reason
        #expect(reason?.hasPrefix("page 3: ") == true && reason?.hasSuffix(" bytes, and no more than 20500 are allowed (max_size)") == true)
    }

    @Test func `Elements that come again and again take the room of one each`() {
        let text = String(repeating: "x", count: 1_000)
        let play = WalkPlay(Self.rules(id: "/id"), limit: 1 << 20) { request in
            let data = (1...20).map { #"{"id":\#($0),"page":\#(request.page),"x":"\#(text)"}"# }.joined(separator: ",")
            return Self.page("[\(data)]", request.page < 60 ? "c\(request.page)" : nil)
        }
        var walk = Walk(Self.rules(id: "/id"), AnswerShape(), links: .tested(), limit: 1 << 20)
        var most = 0
        for page in 1..<60 {
            let data = (1...20).map { #"{"id":\#($0),"page":\#(page),"x":"\#(text)"}"# }.joined(separator: ",")
            _ = walk.take(Self.page("[\(data)]", "c\(page)"), from: .tested, isValue: true)
            most = max(most, walk.footprint)
        }

        #expect(play.value?.utf8.count ?? 0 < 22_000)
        #expect(play.value?.contains(#"{"id":1,"page":60"#) == true)
        #expect(play.value?.contains(#""page":59"#) == false)
        // The first page, what is new of the others, what was replaced, and one page more.
        #expect(most < 44_000 + 65_536 + 22_000)
    }

    @Test func `More than a million elements are too many`() {
        func data(_ count: Int) -> String { "[" + String(repeating: "1,", count: count - 1) + "1]" }

        let play = WalkPlay(Self.rules(), [Self.page(data(600_000), "a"), Self.page(data(400_001), "b")], limit: 1 << 30)

        #expect(play.reason == "page 2: more than 1,000,000 elements")
    }

    @Test func `One list in another is refused`() {
        let rules = PageRules(
            next: .place(at("/next")), to: .query("c"), lists: [PageList(at: at("/data")), PageList(at: at("/data/0"))])

        let play = WalkPlay(rules, [Answer(#"{"data":[[1]],"next":"b"}"#), Answer(#"{"data":[[2]]}"#)])

        #expect(play.reason == "one list stands in another")
    }

    @Test func `Numbers at their bounds end the walk, and nothing else`() {
        for next in [PageRules.Next.page(.max), .offset(.max), .page(.min), .offset(.min), .offset(.max - 1)] {
            let rules = PageRules(next: next, to: .query("n"), lists: [PageList(at: at(""), id: at(""))], max: 5)
            var number = 0
            let play = WalkPlay(rules) { _ in
                number += 1
                return Answer("[\(number)]")
            }
            #expect(play.value != nil || play.reason != nil)
        }
    }
}

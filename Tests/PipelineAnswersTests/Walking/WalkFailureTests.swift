import Pipeline
import PipelineAnswers
import PipelineJSON
import Testing

/// Pages that fail, and how long a value of many pages is good.
@Suite struct WalkFailureTests {
    private static let rules = PageRules(next: .place(at("/next")), to: .query("cursor"), lists: [PageList(at: at("/data"), id: at("/id"))])

    private static func page(_ number: Int, of count: Int = 9) -> Answer {
        Answer(#"{"data":[{"id":\#(number)}]\#(number < count ? #","next":"c\#(number)""# : "")}"#)
    }

    @Test func `AP-65 AP-66 after a page that is refused the walk goes on with that page, and no other is asked for again`() {
        var play = WalkPlay(Self.rules) { $0.page == 7 ? Answer("", status: 503) : Self.page($0.page) }

        #expect(play.end == .refused(page: 7))
        #expect(play.walk.request.page == 7)
        play.play { Self.page($0.page) }

        #expect(
            play.requests == [
                "", "cursor=c1", "cursor=c2", "cursor=c3", "cursor=c4", "cursor=c5", "cursor=c6", "cursor=c6", "cursor=c7", "cursor=c8",
            ])
        #expect(play.value == #"{"data":[\#((1...9).map { #"{"id":\#($0)}"# }.joined(separator: ","))],"next":"c1"}"#)
    }

    @Test func `AP-67 the pages that have come are a value`() {
        let play = WalkPlay(Self.rules) { $0.page == 3 ? Answer("", status: 503) : Self.page($0.page) }
        let none = WalkPlay(Self.rules, [Answer("", status: 503)])

        #expect(play.walk.incomplete().map { String(decoding: $0, as: UTF8.self) } == #"{"data":[{"id":1},{"id":2}],"next":"c1"}"#)
        #expect(none.walk.incomplete() == nil)
    }

    @Test func `AP-70 a first page that is as it was stands for all, where the file says so`() {
        var rules = Self.rules
        rules.confirmsFirst = true

        #expect(WalkPlay(rules, [Answer("", status: 304)]).end == .confirmed)
        #expect(WalkPlay(Self.rules, [Answer("", status: 304)]).end == .refused(page: 1))
        #expect(WalkPlay(rules, [Self.page(1), Answer("", status: 304)]).end == .refused(page: 2))
        #expect(Walk(rules, AnswerShape(), links: .tested(), limit: 1).expects(Answer("", status: 304)))
        #expect(WalkPlay(rules) { Self.page($0.page, of: 2) }.value == #"{"data":[{"id":1},{"id":2}],"next":"c1"}"#)
    }

    private static let begin = Timestamp(nanoseconds: 1_000_000_000_000)

    @Test func `AP-69 a value is good as long as its first page that expires, from the first request on`() {
        var freshness = WalkFreshness(created: Self.begin, freshUntil: Self.begin + .seconds(60))
        #expect(freshness.freshUntil == Self.begin + .seconds(60))

        freshness.add(created: Self.begin + .seconds(5), freshUntil: Self.begin + .seconds(15))
        freshness.add(created: Self.begin + .seconds(6), freshUntil: nil)

        #expect(freshness.created == Self.begin)
        #expect(freshness.freshUntil == Self.begin + .seconds(10))
        #expect(WalkFreshness(created: Self.begin, freshUntil: nil).freshUntil == nil)
    }

    @Test func `AP-69 one page that may not be stored is enough, and the strictest word holds`() {
        var freshness = WalkFreshness(
            created: Self.begin, freshUntil: nil, control: CacheControl(field: "max-age=60, public, immutable, stale-if-error=30"))
        #expect(freshness.notKept == nil)

        freshness.add(created: Self.begin, freshUntil: nil, control: CacheControl(field: "max-age=600, public, must-revalidate"))
        #expect(freshness.control?.text == "max-age=60, must-revalidate, public")
        freshness.add(created: Self.begin, freshUntil: nil, control: CacheControl(field: "no-store"), notKept: "no-store")
        freshness.add(created: Self.begin, freshUntil: nil)

        #expect(freshness.notKept == "no-store")
        #expect(freshness.control?.flags.contains(.noStore) == true)
        #expect(freshness.control?.flags.contains(.isPublic) == false)
        #expect(freshness.control?.maxAge == 60)
    }
}

import Pipeline
import PipelineAnswers
import PipelineJSON
import Testing

/// What the request for a page differs in, for each way in which a page is marked and each place where the mark goes.
@Suite struct WalkRequestTests {
    /// A way to mark the next page, with two pages that do so.
    struct Marked: Sendable, CustomTestStringConvertible {
        let next: PageRules.Next
        let first: Answer
        let second = Answer(#"{"data":[{"id":"2"}]}"#)
        /// The cursor as text, and in a body.
        let text: String
        let json: String

        var testDescription: String { "\(next)" }
    }

    private static let page = #"{"data":[{"id":"1"}],"next":"b/c d"}"#

    static let marked = [
        Marked(next: .place(at("/next")), first: Answer(page), text: "b/c d", json: #""b/c d""#),
        Marked(
            next: .link, first: Answer(page, headers: ["Link": "</v1/orders?page=2>; rel=next"]), text: "/v1/orders?page=2",
            json: #""/v1/orders?page=2""#),
        Marked(next: .header("X-Next"), first: Answer(page, headers: ["x-next": "b"]), text: "b", json: #""b""#),
        Marked(next: .last(at("/id")), first: Answer(page), text: "1", json: #""1""#),
        Marked(next: .offset(0), first: Answer(page), text: "1", json: "1"),
        Marked(next: .page(1), first: Answer(page), text: "2", json: "2"),
    ]

    @Test(arguments: marked)
    func `AP-58 each mark goes to its place, as one value`(marked: Marked) {
        func requests(_ to: PageRules.Destination) -> [String] {
            WalkPlay(
                PageRules(next: marked.next, to: to, lists: [PageList(at: at("/data"))]),
                [marked.first, marked.second, Answer(#"{"data":[]}"#)]
            )
            .requests
        }
        func expected(_ words: (_ text: String, _ json: String) -> String) -> [String] {
            switch marked.next {
            // What is counted is sent with the first page, too, and ends with an empty one.
            case .offset: [words("0", "0"), words("1", "1"), words("2", "2")]
            case .page: [words("1", "1"), words("2", "2"), words("3", "3")]
            case .last: ["", words("1", #""1""#), words("2", #""2""#)]
            default: ["", words(marked.text, marked.json)]
            }
        }

        #expect(requests(.query("q")) == expected { text, _ in "q=\(text)" })
        #expect(requests(.header("X-Page")) == expected { text, _ in "X-Page: \(text)" })
        #expect(requests(.body(at("/page/at"))) == expected { _, json in "/page/at \(json)" })
        #expect(requests(.variable("after")) == expected { _, json in "/variables/after \(json)" })
        #expect(requests(.url) == expected { text, _ in "{\(text)}" })
    }

    @Test func `Without a place the mark is a URL, resolved against its page`() {
        let rules = PageRules(next: .place(at("/@odata.nextLink")), lists: [PageList(at: at("/value"))])
        let pages = [
            #"{"value":[1],"@odata.nextLink":"https://api.example.org/v1/orders?$skip=1"}"#,
            #"{"value":[2],"@odata.nextLink":"other/orders"}"#,
            #"{"value":[3],"@odata.nextLink":"../x"}"#, #"{"value":[4]}"#,
        ].map { Answer($0) }

        let play = WalkPlay(rules, pages)

        #expect(play.requests.prefix(3) == ["", "https://api.example.org/v1/orders?$skip=1", "https://api.example.org/v1/other/orders"])
        #expect(play.value?.hasPrefix(#"{"value":[1,2,3,4]"#) == true)
    }

    @Test func `AP-49 a walk by links of the field ends without one`() {
        let rules = PageRules(next: .link, lists: [PageList(at: at(""), id: at("/id"))])
        let pages = [
            Answer(
                #"[{"id":1}]"#,
                headers: ["Link": "<https://api.example.org/v1/orders?page=2>; rel=\"next\", </v1/orders?page=2>; rel=\"last\""]),
            Answer(#"[{"id":2}]"#, headers: ["Link": "</v1/orders?page=1>; rel=\"prev first\""]),
        ]

        let play = WalkPlay(rules, pages)

        #expect(play.requests == ["", "https://api.example.org/v1/orders?page=2"])
        #expect(play.value == #"[{"id":1},{"id":2}]"#)
    }

    @Test func `AP-55 a next page at another host is not asked for, and one at a named host is, as a stranger`() {
        let rules = PageRules(next: .place(at("/next")), lists: [PageList(at: at("/data"))])
        let pages = [Answer(#"{"data":[1],"next":"https://evil.example/x"}"#), Answer(#"{"data":[2]}"#)]

        let refused = WalkPlay(rules, pages)
        let named = WalkPlay(rules, pages, links: .tested(hosts: ["evil.example"]))

        #expect(refused.reason == "the next page is at another host: evil.example")
        #expect(refused.requests == [""])
        #expect(named.requests == ["", "https://evil.example/x foreign"])
    }

    @Test func `AP-57 the next page of a redirected one is resolved against where it came from`() {
        let rules = PageRules(next: .place(at("/next")), lists: [PageList(at: at("/data"))])
        let mirror = AnswerURL(isSecure: true, host: "mirror.example", port: 443, target: "/a/b")
        let pages = [#"{"data":[1],"next":"/2"}"#, #"{"data":[2],"next":"c"}"#, #"{"data":[3]}"#]
        func play(_ links: LinkRule) -> WalkPlay {
            WalkPlay(rules, links: links, from: { $0.page == 2 ? mirror : nil }) { Answer(pages[$0.page - 1]) }
        }

        #expect(play(.tested()).reason == "the next page is at another host: mirror.example")
        #expect(
            play(.tested(hosts: ["mirror.example"])).requests == ["", "https://api.example.org/2", "https://mirror.example/a/c foreign"])
    }

    @Test func `A number is no URL, and a cursor with a line break is no field`() {
        let url = PageRules(next: .place(at("/next")), lists: [PageList(at: at("/data"))])
        let header = PageRules(next: .place(at("/next")), to: .header("X-Next"), lists: [PageList(at: at("/data"))])

        #expect(WalkPlay(url, [Answer(#"{"data":[1],"next":2}"#)]).reason == "page 1: the cursor of the next page is a number, and no URL")
        #expect(
            WalkPlay(header, [Answer(#"{"data":[1],"next":"a\r\nHost: x"}"#)]).reason
                == "the cursor of the next page has a control character, and `X-Next` cannot carry it")
    }

    @Test func `A cursor has at most 64 KiB`() {
        let rules = PageRules(next: .place(at("/next")), to: .query("c"), lists: [PageList(at: at("/data"))])
        func play(_ count: Int) -> WalkPlay {
            WalkPlay(rules, [Answer(#"{"data":[1],"next":"\#(String(repeating: "x", count: count))"}"#), Answer(#"{"data":[2]}"#)])
        }

        #expect(play(65_536).requests.count == 2)
        #expect(play(65_537).reason == "page 1: the cursor of the next page has 65537 bytes, and no more than 65536 are allowed")
    }

    @Test func `Pages that are counted need a place for the number`() {
        let play = WalkPlay(PageRules(next: .offset(0), lists: [PageList(at: at(""))]), [Answer("[1]")])

        #expect(play.reason == "nothing says where the number of the next page goes")
    }

    @Test func `The last element is that of the answer as it came`() {
        let rules = PageRules(next: .last(at("/id")), to: .query("after"), lists: [PageList(at: at("/data"))])
        let shape = AnswerShape(drop: [path("$.data[*].id")])
        let pages = [#"{"data":[{"id":1,"n":0},{"id":2,"n":1}]}"#, #"{"data":[{"id":3,"n":2}]}"#, #"{"data":[]}"#].map { Answer($0) }

        let play = WalkPlay(rules, pages, shape: shape)

        #expect(play.requests == ["", "after=2", "after=3"])
        #expect(play.value == #"{"data":[{"n":0},{"n":1},{"n":2}]}"#)
    }
}

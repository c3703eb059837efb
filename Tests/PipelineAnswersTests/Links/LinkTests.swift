import Pipeline
import PipelineAnswers
import Testing

@Suite struct LinkTests {
    @Test(
        arguments: [
            (["<https://x/2>; rel=\"next\""], "https://x/2"), (["<https://x/1>; rel=prev, <https://x/3>; rel=next"], "https://x/3"),
            (["<https://x/3>; rel=\"last NEXT\""], "https://x/3"), (["<https://x/3> ; REL = Next"], "https://x/3"),
            (["<https://x/a,b;c?q=\"1\">;title=\"a, b; rel=next\";rel=next"], "https://x/a,b;c?q=\"1\""),
            (["</orders?page=2>; rel=next"], "/orders?page=2"),
            (["<https://x/1>; rel=first", "<https://x/2>; rel=next"], "https://x/2"), (["<>; rel=next"], ""),
            (["<https://x/2>; rel=next; rel=prev"], "https://x/2"), (["<https://x/2>; rel=prev; rel=next"], nil),
            (["<https://x/2>; rel=next; anchor=\"#foo\", <https://x/3>; rel=next"], "https://x/3"), (["<https://x/2>; rel=nextpage"], nil),
            (["<https://x/2>; title=\"a \\\" <https://y>; rel=next\"; rel=\"next\""], "https://x/2"), (["https://x/2; rel=next"], nil),
            (["<https://x/2; rel=next"], nil), (["<https://x/2>; rel=\"next"], "https://x/2"), ([""], nil), ([], nil), ([",,;<"], nil),
            (["<https://x/2>;;rel=next"], "https://x/2"), (["<https://x/2>; rel"], nil), (["junk <https://x/2>; rel=next"], "https://x/2"),
        ] as [([String], String?)])
    func `AP-49 the next page is the link with rel=next, wherever it stands in whichever field`(fields: [String], target: String?) {
        #expect(LinkHeader.target(of: "next", in: fields) == target)
    }

    private static func link(_ text: String, from rule: LinkRule = .tested(), on page: AnswerURL? = nil) -> Result<
        LinkRule.Link, SourceError
    > {
        do throws(SourceError) {
            return .success(try rule.link(text, on: page ?? rule.url, to: "the next page"))
        } catch {
            return .failure(error)
        }
    }

    private static func words(_ text: String, from rule: LinkRule = .tested(), on page: AnswerURL? = nil) -> String {
        switch link(text, from: rule, on: page) {
        case .success(let link): link.url.text + (link.isForeign ? " foreign" : "")
        case .failure(let error): error.reason
        }
    }

    @Test(arguments: [
        ("/v1/orders?page=2", "https://api.example.org/v1/orders?page=2"), ("?page=2", "https://api.example.org/v1/orders?page=2"),
        ("items", "https://api.example.org/v1/items"), ("//api.example.org/x", "https://api.example.org/x"),
        ("https://API.example.org:443/x", "https://api.example.org/x"), ("https://api.example.org/x#part", "https://api.example.org/x"),
        ("https://me:secret@api.example.org/x", "https://api.example.org/x"), ("http://api.example.org/x", "https://api.example.org/x"),
        ("http://api.example.org:80/x", "https://api.example.org/x"),
    ])
    func `AP-55 AP-56 a link is resolved against its page, loses user and fragment, and is asked by https`(text: String, url: String) {
        #expect(Self.words(text) == url)
    }

    @Test(arguments: [
        ("https://evil.example/x", "the next page is at another host: evil.example"),
        ("//evil.example/x", "the next page is at another host: evil.example"),
        ("https://api.example.org@evil.example/x", "the next page is at another host: evil.example"),
        ("https://api.example.org.evil.example/x", "the next page is at another host: api.example.org.evil.example"),
        ("https://api.example.org:8443/x", "the next page is at another host: api.example.org:8443"),
        ("http://api.example.org:8080/x", "the next page is at another host: api.example.org:8080"),
        ("http://evil.example/x", "the next page is at another host: evil.example"),
        ("javascript:alert(1)", "the URL of the next page cannot be asked: `javascript` is neither http nor https"),
        ("file:///etc/passwd", "the URL of the next page cannot be asked: `file` is neither http nor https"),
        ("https:", "the URL of the next page cannot be asked: it has no host"),
        ("/x\r\nHost: evil.example", "the URL of the next page has a control character"),
        ("/x\u{0}", "the URL of the next page has a control character"),
    ])
    func `AP-55 a link to another host, port or scheme is not asked`(text: String, reason: String) {
        #expect(Self.words(text) == reason)
    }

    @Test func `AP-55 a URL of more than 8 KiB is not asked`() {
        #expect(
            Self.words("/" + String(repeating: "x", count: 9_215))
                == "the URL of the next page has 9216 bytes, and no more than 8192 are allowed")
        #expect(Self.words("/" + String(repeating: "x", count: 8_191)).hasPrefix("the URL of the next page has "))
        #expect(Self.words("/" + String(repeating: "x", count: 8_000)).hasPrefix("https://"))
    }

    @Test func `AP-55 a host that is named may be asked, as a stranger`() {
        let rule = LinkRule.tested(hosts: ["files.example.org", "10.0.0.1:9000", "[::1]:9000"])

        #expect(Self.words("https://files.example.org/x", from: rule) == "https://files.example.org/x foreign")
        #expect(Self.words("https://10.0.0.1:9000/x", from: rule) == "https://10.0.0.1:9000/x foreign")
        #expect(Self.words("https://files.example.org:8443/x", from: rule) == "the next page is at another host: files.example.org:8443")
        #expect(Self.words("http://files.example.org:443/x", from: rule) == "the next page is at another host: files.example.org:443")
        #expect(Self.words("http://10.0.0.1:9000/x", from: rule) == "the next page is at another host: 10.0.0.1:9000")
    }

    @Test func `AP-56 a link by https is another host for a source that is asked by http, unless it is named`() {
        let url = AnswerURL(isSecure: false, host: "127.0.0.1", port: 8_080, target: "/")

        #expect(Self.words("http://127.0.0.1:8080/2", from: .tested(url)) == "http://127.0.0.1:8080/2")
        #expect(Self.words("https://127.0.0.1:8080/2", from: .tested(url)) == "the next page is at another host: https://127.0.0.1:8080")
        #expect(Self.words("https://127.0.0.1/2", from: .tested(url)) == "the next page is at another host: 127.0.0.1")
        #expect(Self.words("https://127.0.0.1/2", from: .tested(url, hosts: ["127.0.0.1"])) == "https://127.0.0.1/2 foreign")
        #expect(Self.words("http://127.0.0.1:9090/2", from: .tested(url, hosts: ["127.0.0.1:9090"])) == "http://127.0.0.1:9090/2 foreign")
    }

    @Test func `AP-57 a link on a page of another host is resolved there, and is judged like any other`() {
        let redirected = AnswerURL(isSecure: true, host: "mirror.example", port: 443, target: "/a/b")

        #expect(Self.words("c?page=2", on: redirected) == "the next page is at another host: mirror.example")
        #expect(
            Self.words("c?page=2", from: .tested(hosts: ["mirror.example"]), on: redirected) == "https://mirror.example/a/c?page=2 foreign")
        #expect(Self.words("https://api.example.org/x", on: redirected) == "https://api.example.org/x")
    }

    @Test(arguments: [
        ("files.example.org", "files.example.org", 443), ("FILES.example.org:80", "files.example.org", 80), ("[::1]", "[::1]", 443),
        ("[::1]:8080", "[::1]", 8_080),
    ])
    func `A host is named alone, for its port 443, or with a port`(text: String, host: String, port: Int) {
        #expect(LinkedHost(text)?.host == host)
        #expect(LinkedHost(text)?.port == port)
    }

    @Test(arguments: ["", ":443", "a:", "a:0", "a:65536", "a:x", "https://a", "a/b", "a b", "[::1", "[::1]x", "me@a", "a:+1", "{host}"])
    func `What is no host is none`(text: String) {
        #expect(LinkedHost(text) == nil)
    }
}

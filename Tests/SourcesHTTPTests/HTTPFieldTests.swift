import Testing

@testable import Pipeline
@testable import PipelineConfig
@testable import SourcesHTTP

@Suite struct HTTPFieldTests {
    @Test(arguments: [
        ("200", 200...200, "200"), ("2xx", 200...299, "2xx"), ("5XX", 500...599, "5xx"), ("200-299", 200...299, "2xx"),
        ("200-204", 200...204, "200-204"), ("404-404", 404...404, "404"),
    ])
    func `statuses are written as one, a class or a range`(text: String, statuses: ClosedRange<Int>, written: String) throws {
        let pattern = try StatusPattern.parse(text)

        #expect(pattern.statuses == statuses)
        #expect(pattern.written == written)
    }

    @Test(arguments: [
        ("", StatusPattern.Problem.malformed), ("ok", .malformed), ("2x", .malformed), ("20x", .malformed), ("2xxx", .malformed),
        ("-200", .malformed), ("200-", .malformed), ("200-201-202", .malformed), ("+20", .malformed), ("0200", .malformed),
        ("xxx", .malformed), ("１00", .malformed), ("199", .outOfRange), ("600", .outOfRange), ("1xx", .outOfRange), ("6xx", .outOfRange),
        ("200-600", .outOfRange), ("299-200", .reversed),
    ])
    func `anything else is no pattern`(text: String, problem: StatusPattern.Problem) {
        #expect(throws: problem) { try StatusPattern.parse(text) }
    }

    @Test func `a whole source is read`() throws {
        let (source, problems) = Self.read([
            "url": .scalar("http://me:secret@127.0.0.1:8787/friends/{user}"), "method": .scalar("POST"),
            "headers": .map(["X-Api-Key": .scalar("k3y")]), "query": .map(["page": .scalar("{page}")]),
            "body": .scalar("{\"user\": \"{user}\"}"), "timeout": .scalar("2s"), "max_size": .scalar("1MiB"),
            "follow_redirects": .scalar("true"), "accept_status": .list([.scalar("200"), .scalar("3xx")]),
        ])

        #expect(
            problems == [
                "P309 a credential is written in the file: the password of the URL",
                "P309 a credential is written in the file: the value of `X-Api-Key`",
            ])
        #expect(source is HTTPSource)
    }

    @Test func `only the URL is needed`() {
        #expect(Self.read(["url": .scalar("https://example.org")]).source is HTTPSource)
        #expect(Self.read([:]).problems == ["P102 source `api` needs `url`"])
    }

    @Test(arguments: [
        (
            "url", Node.scalar("ftp://example.org/"),
            "P104 `ftp://example.org/` is out of range for `url`: expected a URL that begins with `http://` or `https://`"
        ),
        ("method", .scalar("get"), "P107 `get` is not allowed for `method`"),
        (
            "headers", .map(["X Key": .scalar("1")]),
            "P104 `X Key` is not a header name: expected letters, digits and `-`"
        ),
        (
            "headers", .map(["": .scalar("1")]),
            "P104 `` is not a header name: expected letters, digits and `-`"
        ),
        (
            "headers", .map(["content-length": .scalar("1")]),
            "P104 `content-length` cannot be set: it follows from the body"
        ),
        (
            "headers", .map(["X-Y": .scalar("a\r\nb")]),
            "P105 malformed value of the header `X-Y`: there is a line break in it"
        ),
        (
            "headers", .map(["X-Y": .scalar("{user}\u{7F}")]),
            "P105 malformed value of the header `X-Y`: there is a control character in it"
        ),
        ("timeout", .scalar("0s"), "P104 `0s` is out of range for `timeout`: expected 1ms or more"),
        ("max_size", .scalar("0"), "P104 `0` is out of range for `max_size`: expected 1 or more"),
        ("follow_redirects", .scalar("21"), "P104 `21` is out of range for `follow_redirects`: expected 0 to 20"),
        ("follow_redirects", .scalar("-1"), "P104 `-1` is out of range for `follow_redirects`: expected 0 to 20"),
        (
            "follow_redirects", .scalar("many"),
            "P103 expected a number of redirects, `true` or `false` for `follow_redirects`, found `many`"
        ),
        ("accept_status", .list([]), "P104 an empty list for `accept_status`: expected at least one status"),
        ("accept_status", .scalar("200"), "P103 expected a list for `accept_status`, found `200`"),
        (
            "accept_status", .list([.scalar("ok")]),
            "P105 malformed status `ok` for `accept_status`: expected one as `200`, `2xx` or `200-299`"
        ),
        ("accept_status", .list([.scalar("700")]), "P104 `700` is out of range for `accept_status`: expected statuses from 200 to 599"),
        ("accept_status", .list([.scalar("299-200")]), "P104 `299-200` is out of range for `accept_status`: it ends before it begins"),
    ])
    func `a field that is wrong`(name: String, value: Node, problem: String) {
        var fields = ["url": Node.scalar("http://a")]
        fields[name] = value

        #expect(Self.read(fields).problems == [problem])
    }

    @Test(arguments: [
        "application/yaml", "application/graphql", "text/csv", "text/html", "application/sql", "multipart/form-data", "application/json5",
        "application/vnd.a.json+yaml", "application/x-protobuf", "json", " ", "{type}", "application/{type}+json",
        "application/json, text/x",
    ])
    func `a parameter in a body of another type needs escape`(type: String) {
        func problems(_ body: String, _ more: [String: Node] = [:]) -> [String] {
            let fields = ["url": .scalar("http://a"), "method": .scalar("PUT"), "body": .scalar(body)].merging(more) { $1 }
            return Self.read(fields.merging(["headers": .map(["Content-Type": .scalar(type)])]) { $1 }).problems
        }
        let problem =
            "P105 `body` of source `api` has `{user}` in it, and its Content-Type does not say how a value is written there: "
            + "it is neither JSON, XML, a form nor text"

        #expect(problems("user: \"{user}\"") == [problem])
        #expect(problems("user: \"me\"") == [])
        for escape in ["json", "xml", "form", "none"] { #expect(problems("user: \"{user}\"", ["escape": .scalar(escape)]) == []) }
    }

    @Test func `escape is one of four words, and needs a body`() {
        #expect(
            Self.read(["url": .scalar("http://a"), "body": .scalar("{a}"), "escape": .scalar("yaml")]).problems
                == ["P107 `yaml` is not allowed for `escape`"])
        #expect(
            Self.read(["url": .scalar("http://a"), "escape": .scalar("json")]).problems
                == ["P102 `escape` needs `body`: it says how values are written there"])
    }

    @Test(arguments: [("true", 5), ("false", 0), ("yes", 5), ("off", 0), ("0", 0), ("20", 20)])
    func `redirects are a number or a bool`(text: String, count: Int) {
        let decoder = FieldDecoder(file: "pipeline.yaml", folder: "", environment: ConfigEnvironment([:]))
        #expect(RedirectLimit.decode(Node.scalar(text).configNode, with: decoder)?.count == count)
    }

    /// A value of a configuration.
    indirect enum Node: Sendable {
        case scalar(String)
        case list([Node])
        case map([String: Node])

        var configNode: ConfigNode {
            let range = TextRange(TextPosition(line: 1, column: 1), TextPosition(line: 1, column: 2))
            return switch self {
            case .scalar(let text): ConfigNode(.scalar(.init(text: text, isPlain: true)), at: range)
            case .list(let nodes): ConfigNode(.sequence(nodes.map(\.configNode)), at: range)
            case .map(let nodes): ConfigNode(.mapping(Self.members(nodes)), at: range)
            }
        }

        static func members(_ nodes: [String: Node]) -> [ConfigNode.Member] {
            nodes.map { ConfigNode.Member(key: $0.key, keyRange: $0.value.configNode.range, value: $0.value.configNode) }
        }
    }

    private static func read(_ fields: [String: Node]) -> (source: (any Source)?, problems: [String]) {
        let decoder = FieldDecoder(file: "pipeline.yaml", folder: "", environment: ConfigEnvironment([:]))
        let owner = FieldOwner(description: "source `api`", range: Node.scalar("").configNode.range)
        let making = SourcePlugin.http.decode(Node.members(fields), of: owner, with: decoder)?.making
        let problems = decoder.problems.diagnostics.map { "\($0.code.rawValue) \($0.message)" }
        return (try? making?(SourceContext(name: "api", clock: .system)).source, problems)
    }
}

import Pipeline
import PipelineConfig
import SourcesHTTP
import Testing

@Suite(.timeLimit(.minutes(15)))
struct HTTPSourceRequestTests {
    private static func request(
        _ path: String = "/", for key: Key = Key(pipeline: "friends"), _ change: (inout HTTPSettings) -> Void = { _ in }
    ) async throws -> RecordedRequest {
        var recorded: RecordedRequest?
        try await ScriptedServer.run({ _ in Answer.text("1") }) { server async throws in
            try await withSource(server.url + path, change) { source async throws in
                #expect(try await source.text(key) == "1")
                #expect(server.requests.count == 1)
                recorded = server.requests.first
            }
        }
        return try #require(recorded)
    }

    @Test func `the default headers are few`() async throws {
        let request = try await Self.request()

        #expect(request["User-Agent"] == "pipe-run")
        #expect(request["Accept"] == "*/*")
        #expect(request["Host"]?.hasPrefix("127.0.0.1:") == true)
        #expect(request.lines.count == 5)
    }

    @Test func `configured headers replace the default ones, their parameters filled in`() async throws {
        let request = try await Self.request(for: .user("me")) {
            $0.headers = FieldMap([("user-agent", "app/1"), ("ACCEPT", "text/plain"), ("X-User", "<{user}>")])
        }

        #expect(request["User-Agent"] == "app/1")
        #expect(request["Accept"] == "text/plain")
        #expect(request["X-User"] == "<me>")
        #expect(request.lines.count == 6)
    }

    @Test(arguments: ["a\r\nX-Admin: 1", "a\nb", "a\rb", "a\0b", "\u{7F}", "\r\n\r\nGET /admin HTTP/1.1\r\n\r\n"])
    func `a line break in a parameter never gets into the headers`(value: String) async throws {
        try await ScriptedServer.run({ _ in Answer.text("1") }) { server async throws in
            try await withSource(server.url) {
                $0.headers = FieldMap([("X-User", "{user}")])
            } _: { source async throws in
                #expect(
                    await source.failure(.user(value))
                        == "the value of the header `X-User` has a line break or another control character in it")
                #expect(server.requests.isEmpty)
            }
        }
    }

    @Test(arguments: [
        ("42", "/users/42/friends"), ("a/b", "/users/a%2Fb/friends"), ("a?b", "/users/a%3Fb/friends"), ("a#b", "/users/a%23b/friends"),
        ("..", "/users/%2E%2E/friends"), (".", "/users/%2E/friends"), ("../../admin", "/users/%2E%2E%2F..%2Fadmin/friends"),
        ("%2e%2e", "/users/%252e%252e/friends"), ("a\r\nX: 1", "/users/a%0D%0AX%3A%201/friends"), ("\0", "/users/%00/friends"),
        ("é", "/users/%C3%A9/friends"), ("a b", "/users/a%20b/friends"), ("a@b", "/users/a%40b/friends"), ("", "/users//friends"),
    ])
    func `a parameter stays one segment of the path`(value: String, target: String) async throws {
        let request = try await Self.request("/users/{user}/friends", for: .user(value))

        #expect(request.line == "GET \(target) HTTP/1.1")
    }

    @Test(arguments: ["evil.example/", "evil.example:80", "evil.example\0", "evil@example", "evil.example?", "[::1]", "é", ""])
    func `a parameter cannot make another host of its label`(value: String) async throws {
        try await withSource("http://{user}/friends") { source async throws in
            let failure = await source.failure(.user(value))
            #expect(failure.hasPrefix("cannot ask the URL: "))
        }
    }

    @Test func `the query is added in the order of the file, percent-encoded`() async throws {
        let request = try await Self.request("/?a=1", for: .user("x&y=z é\r\n")) {
            $0.query = FieldMap([("user", "{user}"), ("b c", "1+1=2"), ("empty", "")])
        }

        #expect(request.target == "/?a=1&user=x%26y%3Dz%20%C3%A9%0D%0A&b%20c=1%2B1%3D2&empty=")
    }

    @Test func `a fragment is not sent`() async throws {
        #expect(try await Self.request("/a?b#c").target == "/a?b")
    }

    @Test(arguments: [
        ("me:secret", "Basic bWU6c2VjcmV0"), ("me", "Basic bWU6"), (":secret", "Basic OnNlY3JldA=="),
        ("m%3Ae:p%40:w%2F", "Basic bTplOnBAOncv"),
    ])
    func `user and password of the URL become basic authentication`(credentials: String, header: String) async throws {
        try await ScriptedServer.run({ _ in Answer.text("1") }) { server async throws in
            try await withSource("http://\(credentials)@\(server.authority)/") { source async throws in
                #expect(try await source.text() == "1")
                #expect(server.requests.first?["Authorization"] == header)
                #expect(server.requests.first?.target == "/")
            }
        }
    }

    @Test func `a configured Authorization wins over the URL's credentials`() async throws {
        try await ScriptedServer.run({ _ in Answer.text("1") }) { server async throws in
            try await withSource("http://me:secret@\(server.authority)/") {
                $0.headers = FieldMap([("authorization", "Bearer t")])
            } _: { source async throws in
                #expect(try await source.text() == "1")
                #expect(server.requests.first?["Authorization"] == "Bearer t")
            }
        }
    }

    @Test(arguments: [
        ("{\"user\": \"{user}\"}", "a\"}, {\"b\\", "{\"user\": \"a\\\"}, {\\\"b\\\\\"}"),
        ("{\"user\": \"{user}\"}", "é\r\n\0", "{\"user\": \"é\\r\\n\\u0000\"}"),
        ("{\"id\": {user}}", "42", "{\"id\": 42}"),
        ("{\"id\": {user}}", "-1.5e+3", "{\"id\": -1.5e+3}"),
        ("{\"id\": {user}}", "null", "{\"id\": null}"),
        ("{\"id\": {user}}", "1, \"admin\": true", "{\"id\": \"1, \\\"admin\\\": true\"}"),
        ("{\"id\": {user}}", "007", "{\"id\": \"007\"}"),
        ("{\"id\": {user}}", "", "{\"id\": \"\"}"),
        (" [\"\\\\{user}\", \"\\{user}\"]", "\"", " [\"\\\\\\\"\", \"\\\\\\\"\"]"),
        ("[\"\\\"{user}\", {user}]", "x", "[\"\\\"x\", \"x\"]"),
    ])
    func `a parameter cannot leave its place in a JSON body`(body: String, value: String, expected: String) async throws {
        let request = try await Self.request(for: .user(value)) {
            $0.method = .post
            $0.body = TextTemplate(stringLiteral: body)
        }

        #expect(request.body == expected)
        #expect(request["Content-Type"] == "application/json")
    }

    /// How a body of `type` has a value that wants to be more than one.
    private static let kinds: [(type: String, body: String, expected: String)] = {
        let json = (body: #"{"user":"{user}","id":{user}}"#, expected: #"{"user":"x\",<a>& b","id":"x\",<a>& b"}"#)
        let xml = (body: "<u a='{user}'>{user}</u>", expected: "<u a='x&quot;,&lt;a&gt;&amp; b'>x&quot;,&lt;a&gt;&amp; b</u>")
        let plain = (body: #"{"{user}"}"#, expected: #"{"x",<a>& b"}"#)
        let types =
            [
                "application/json", "Application/JSON ; charset=utf-8", "text/json", "application/problem+json", "application/vnd.api+json",
                "application/graphql+json", "application/x-amz-json-1.0", "application/x-amz-json-1.1", "application/x-ndjson",
                "application/ndjson", "application/jsonl", "application/x-json-lines", "application/json-seq", "application/geo+json-seq",
            ].map { ($0, json) } + ["text/xml", "application/soap+xml; charset=utf-8"].map { ($0, xml) }
            + ["text/plain; charset=utf-8", "application/octet-stream"].map { ($0, plain) }
            + [("application/x-www-form-urlencoded", ("u={user}", "u=x%22%2C%3Ca%3E%26%20b"))]
        return types.map { ($0, $1.0, $1.1) }
    }()

    @Test(arguments: kinds)
    func `a parameter is escaped as the Content-Type says`(type: String, body: String, expected: String) async throws {
        let request = try await Self.request(for: .user("x\",<a>& b")) {
            $0.method = .post
            $0.headers = FieldMap([("content-type", SecretTemplate(stringLiteral: type))])
            $0.body = TextTemplate(stringLiteral: body)
        }

        #expect(request.body == expected)
        #expect(request["Content-Type"] == type)
    }

    @Test(arguments: [
        (BodyEscaping.json, "\"x\\\",<a>& b\""), (.xml, "\"x&quot;,&lt;a&gt;&amp; b\""), (.form, "\"x%22%2C%3Ca%3E%26%20b\""),
        (.verbatim, "\"x\",<a>& b\""),
    ])
    func `escape says it whatever the type is`(escape: BodyEscaping, expected: String) async throws {
        for type in ["application/yaml", "application/json"] {
            let request = try await Self.request(for: .user("x\",<a>& b")) {
                $0.method = .post
                $0.headers = FieldMap([("Content-Type", SecretTemplate(stringLiteral: type))])
                $0.body = "\"{user}\""
                $0.escape = escape
            }

            #expect(request.body == expected)
        }
    }

    @Test(arguments: [
        (
            #"{"query":"{ user(id: \"{user}\") { id } }"}"#, #"1") { id } admin(id: "2"#,
            #"{ user(id: \"1\\\") { id } admin(id: \\\"2\") { id } }"#
        ),
        (#"{"query":"{ user(id: {user}) { id } }"}"#, "1) { id } admin(id: 2", #"{ user(id: \"1) { id } admin(id: 2\") { id } }"#),
        (#"{"query":"query Q { user(id: {user}) { id } }"}"#, "42", "query Q { user(id: 42) { id } }"),
        (#"{"query":"{ users(role: {user}) { id } }"}"#, "ADMIN", "{ users(role: ADMIN) { id } }"),
        (##"{"query":"# a \" \n{ users(role: {user}) { id } }"}"##, "A) x", ##"# a \" \n{ users(role: \"A) x\") { id } }"##),
        (#"{"query":"find {user}"}"#, "a b", "find a b"),
        (
            #"{"query":"{ a(t: \"\"\"{user}\"\"\") }"}"#, "\"\"\") { id } b(t: \"\"\"",
            #"{ a(t: \"\"\"\\\"\"\") { id } b(t: \\\"\"\"\n\"\"\") }"#
        ),
        (#"{"query":"{ a(t: \"\"\"{user}\"\"\") }"}"#, #"x""#, #"{ a(t: \"\"\"x\"\n\"\"\") }"#),
        (#"{"query":"{ a(t: \"\"\"{user}\"\"\") }"}"#, #"x\"#, #"{ a(t: \"\"\"x\\\n\"\"\") }"#),
        (#"{"query":"{ a(t: \"\"\"\n  \"{user}\"\n  x\"\"\") }"}"#, "\"\"", #"{ a(t: \"\"\"\n  \\\"\"\"\"\n  x\"\"\") }"#),
        (#"{"query":"{ a(t: \"\"\"{user}\"\"\") }"}"#, "x\n  y", #"{ a(t: \"x\\n  y\") }"#),
        (##"{"query":"# \"\"\" \n{ a(t: {user}, u: \"\") }"}"##, "x y", ##"# \"\"\" \n{ a(t: \"x y\", u: \"\") }"##),
        (#"{"query":"\"\"\"Of one.\"\"\" query Q { a(t: {user}) }"}"#, "x y", #"\"\"\"Of one.\"\"\" query Q { a(t: \"x y\") }"#),
        (#"{"query":"{ a(t: \u0022{user}\u0022) }"}"#, #"") b(""#, #"{ a(t: \"\\\") b(\\\"\") }"#),
        (#"{"text":"{ \"of\": \"{user}\" }"}"#, #"x","admin":"y"#, #"{ \"of\": \"x\\\",\\\"admin\\\":\\\"y\" }"#),
        (#"{"text":"[{\"of\":{user}}]"}"#, #"1,"admin":1"#, #"[{\"of\":\"1,\\\"admin\\\":1\"}]"#),
        (#"{"text":"{\"of\":\"\\{user}\"}"}"#, "\"", #"{\"of\":\"\\\\\\\"\"}"#),
        (#"{"text":"[{user}] said \"{user}\""}"#, #"a"b"#, #"[a\"b] said \"a\"b\""#),
    ])
    func `a parameter cannot leave its place in a document within JSON`(body: String, value: String, expected: String) async throws {
        let request = try await Self.request(for: .user(value)) {
            $0.method = .post
            $0.body = TextTemplate(stringLiteral: body)
        }

        #expect(request.body.contains(":\"\(expected)\"}"), "\(request.body)")
    }

    @Test(arguments: [("<a>{user}</a>", "<a>1&lt;</a>", "application/xml"), (" [{user}]", " [\"1<\"]", "application/json")])
    func `a body without a type is what it begins as`(body: String, expected: String, type: String) async throws {
        let request = try await Self.request(for: .user("1<")) {
            $0.method = .post
            $0.body = TextTemplate(stringLiteral: body)
        }

        #expect(request.body == expected)
        #expect(request["Content-Type"] == type)
    }

    @Test func `a body of text is sent as it is`() async throws {
        let request = try await Self.request(for: .user("a\r\n\"b\"")) {
            $0.method = .query
            $0.body = "hello {user}"
        }

        #expect(request.method == "QUERY")
        #expect(request.body == "hello a\r\n\"b\"")
        #expect(request["Content-Type"] == nil)
    }
}

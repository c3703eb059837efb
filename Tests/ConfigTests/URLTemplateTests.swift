import PipelineConfig
import PipelineTesting
import Testing

@testable import Pipeline

/// URLs made of values: each stays in its place.
@Suite struct URLTemplateTests {
    private static func parse(_ pieces: InterpolatedText.Piece...) throws -> URLTemplate {
        try URLTemplate.parse(InterpolatedText(pieces: pieces))
    }

    private static func filled(_ text: String, _ value: String) throws -> String {
        try parse(.literal(text, offset: 0)).filled(for: Key(pipeline: "my pipe", parameters: ["user": value]))
    }

    @Test(arguments: [
        ("http://h/{user}", "a/b", "http://h/a%2Fb"), ("http://h/{user}", "..", "http://h/%2E%2E"),
        ("http://h/{user}/x", "../..", "http://h/%2E%2E%2F../x"),
        ("http://h/{user}", "?a=b&c#d", "http://h/%3Fa%3Db%26c%23d"), ("http://h/{user}", "é 🙂", "http://h/%C3%A9%20%F0%9F%99%82"),
        ("http://h/{user}", "%2F", "http://h/%252F"), ("http://h/{user}", "", "http://h/"),
        ("http://h/?q={user}&x=1", "a&b=c", "http://h/?q=a%26b%3Dc&x=1"),
        ("http://{user}.example.org/", "evil.com/", "http://evil.com%2F.example.org/"),
        ("http://{user}.example.org/", "a@b:80", "http://a%40b%3A80.example.org/"),
        ("http://h:{user}/", "80@evil", "http://h:80%40evil/"), ("http://h/{user}", "\r\nX: y", "http://h/%0D%0AX%3A%20y"),
        ("http://h/{user}", "{pipeline}", "http://h/%7Bpipeline%7D"), ("http://h/{pipeline}", "", "http://h/my%20pipe"),
        ("http://h/{user}~-._", "~-._", "http://h/~-._~-._"),
        ("http://h/{key}", "a", "http://h/my%2520pipe%2Cuser%3Da"), ("HTTP://H/{user}", "a", "HTTP://H/a"),
    ]) func `a value is percent-encoded where it stands`(_ text: String, _ value: String, _ expected: String) throws {
        #expect(try Self.filled(text, value) == expected)
    }

    @Test func `random values never leave their place`() throws {
        let template = try Self.parse(.literal("http://h/a/{user}/b?q={user}#{user}", offset: 0))
        var random = SplitMix64(seed: 11)

        for _ in 0..<5_000 {
            let scalars = (0..<Int.random(in: 0...8, using: &random)).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: 0...0x2FF, using: &random))
            }
            let value = String(String.UnicodeScalarView(scalars))

            let url = template.filled(for: Key(pipeline: "p", parameters: ["user": value]))

            let places = url.dropFirst("http://h/a/".count).split(separator: "/b?q=", omittingEmptySubsequences: false)
            #expect(places.count == 2)
            let encoded = String(places[0])
            #expect(url == "http://h/a/\(encoded)/b?q=\(encoded)#\(encoded)")
            #expect(encoded.utf8.allSatisfy { "%ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8.contains($0) })
            #expect(encoded != "." && encoded != "..")
        }
    }

    @Test func `a variable at the start is a whole prefix, elsewhere it is encoded`() throws {
        let prefix = try Self.parse(.value("http://h:8080/v1", name: "API"), .literal("/friends", offset: 6))
        let part = try Self.parse(.literal("http://h/", offset: 0), .value("a/b?{user}", name: "X"), .literal("/{user}", offset: 13))
        let scheme = try Self.parse(.value("https", name: "S"), .literal("://h/", offset: 4), .value("../x", name: "X"))
        let afterEmpty = try Self.parse(.value("", name: "E"), .value("http://h/v1", name: "API"), .value("/x", name: "X"))

        let key = Key(pipeline: "p", parameters: ["user": "me"])
        #expect(prefix.filled(for: key) == "http://h:8080/v1/friends")
        #expect(part.filled(for: key) == "http://h/a%2Fb%3F%7Buser%7D/me")
        #expect(scheme.filled(for: key) == "https://h/%2E%2E%2Fx")
        #expect(afterEmpty.filled(for: key) == "http://h/v1%2Fx")
    }

    @Test func `a password from a variable cannot name another host`() throws {
        let url = try Self.parse(
            .literal("redis://:", offset: 0), .value("p@ss/w?rd#1:x", name: "PASSWORD"), .literal("@host:6379/0", offset: 20))

        #expect(url.credentials == ":p%40ss%2Fw%3Frd%231%3Ax")
        #expect(url.filled(for: Key(pipeline: "p")) == "redis://host:6379/0")
        #expect(url.scheme == "redis")
    }

    @Test(arguments: [
        ("http://me:pw@h/x@y", "me:pw", "http://h/x@y", "http://***@h/x@y"), ("http://me@h", "me", "http://h", "http://***@h"),
        ("http://a@b@h/", "a@b", "http://h/", "http://***@h/"),
        ("http://me:pw@[::1]:80/", "me:pw", "http://[::1]:80/", "http://***@[::1]:80/"),
    ]) func `credentials are split off and masked`(_ text: String, _ credentials: String, _ rest: String, _ shown: String) throws {
        let url = try Self.parse(.literal(text, offset: 0))

        #expect(url.credentials == credentials)
        #expect(url.filled(for: Key(pipeline: "p")) == rest)
        #expect(url.description == shown)
        #expect("\(url)".contains("pw") == false)
    }

    @Test(arguments: [
        "http://h", "http://h:80", "http://h:", "http://h:65535/", "http://[::1]", "http://[::1]:8080/x", "http://[fe80::1]/",
        "http://127.0.0.1/", "http://h?x",
        "http://h#x", "redis://h", "http+unix://h/", "http://{user}/", "http://h:{user}/", "http://h/a%20b", "http://h/@scope/x",
        "https://h/x:y@z",
    ]) func `texts that are URLs`(_ text: String) throws {
        #expect(try Self.parse(.literal(text, offset: 0)).scheme.hasPrefix(String(text.prefix(4))))
    }

    @Test(arguments: [
        ("", "with its scheme"), ("friends", "with its scheme"), ("/friends", "with its scheme"), ("://h", "with its scheme"),
        ("{user}://h", "with its scheme"),
        ("http:/h", "with its scheme"), ("http://", "no host"), ("http:///x", "no host"), ("http://:80", "no host"),
        ("http://me@/x", "no host"),
        ("1http://h", "is not a scheme"), ("ht tp://h", "is not a scheme"), ("http://h:0", "`0` is not a port"),
        ("http://h:65536", "`65536` is not a port"),
        ("http://h:http/", "`http` is not a port"), ("http://h:-1/", "`-1` is not a port"), ("http://h:+80/", "`+80` is not a port"),
        ("http://[::1/", "brackets"), ("http://::1/", "brackets"), ("http://h[1]/", "brackets"), ("http://[::1]x/", "brackets"),
        ("http://h/a b", "a space"),
        ("http://h/é", "`é`"), ("http://h/\u{7}", "a control character"), ("http://h/\"", "`\"`"), ("http://h/\n", "a control character"),
        ("http://{user}:pw@h/", "cannot stand in the user and password"), ("http://me:{user}@h/", "cannot stand in the user and password"),
    ]) func `texts that are no URLs`(_ text: String, _ words: String) {
        let error = #expect(throws: URLTemplate.Problem.self) { try Self.parse(.literal(text, offset: 0)) }

        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }

    @Test(arguments: [("redis://:pa/ss@h", "pa"), ("http://me:s3cr3t?x@h/", "s3cr3t"), ("http://me:a#b@h", "a")])
    func `what may be a password is not shown`(_ text: String, _ password: String) {
        let error = #expect(throws: URLTemplate.Problem.self) { try Self.parse(.literal(text, offset: 0)) }

        #expect(error?.message.contains("`\(password)`") == false)
    }
}

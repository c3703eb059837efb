import Testing

@testable import PipelineSockets

@Suite struct HTTPURLTests {
    /// RFC 3986, section 5.4, where it applies to URLs with a host.
    @Test(arguments: [
        ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"), ("//g", "http://g/"),
        ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"),
        ("g?y#s", "http://a/b/c/g?y"), (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("", "http://a/b/c/d;p?q"),
        (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"),
        ("../..", "http://a/"), ("../../", "http://a/"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"),
        ("../../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."),
        (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
        ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
        ("g;x=1/../y", "http://a/b/c/y"), ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
        ("https://b", "https://b/"), ("HTTP://B:80/x", "http://b/x"), ("https://u:p@b:8443?q", "https://b:8443/?q"),
        ("//[::1]:8080/x", "http://[::1]:8080/x"), ("/é ü|\\%zz%41", "http://a/%C3%A9%20%C3%BC%7C%5C%25zz%41"),
    ])
    func `a reference is resolved`(reference: String, expected: String) throws {
        let base = try HTTPURL("http://a/b/c/d;p?q")

        #expect(try base.resolving(reference).text == expected)
    }

    @Test(arguments: [
        "", "friends", "/friends", "ftp://a/", "http:///a", "http://", "http://a:b/", "http://a:0/", "http://a:65536/", "http://a%00b/",
        "http://a b/", "http://[::1/", "http://[]/", "http://[v1.x]/", "http://é/", "http://a\\b/", "http:a", "mailto:a@b",
    ])
    func `a text that is not the URL of a server`(text: String) {
        #expect(throws: HTTPURL.Problem.self) { try HTTPURL(text) }
    }

    @Test(arguments: [
        ("http://a/", "http://A:80/x?y", true), ("https://a/", "https://a:443/", true), ("http://a/", "https://a/", false),
        ("http://a/", "http://a:81/", false), ("http://a/", "http://a.b/", false), ("http://a./", "http://a/", false),
    ])
    func `an origin is scheme, host and port`(left: String, right: String, isSame: Bool) throws {
        #expect(try (HTTPURL(left).origin == HTTPURL(right).origin) == isSame)
    }
}

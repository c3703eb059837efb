import PipelineServer
import Testing

@testable import PipeRunKit

@Suite struct HostRuleTests {
    @Test(
        arguments: [
            ("localhost", "localhost"), ("LocalHost:8080", "localhost"), ("127.0.0.1:80", "127.0.0.1"), ("[::1]:8080", "[::1]"),
            ("example.com.", "example.com"), ("a_b-c.d", "a_b-c.d"), ("", nil), (":80", nil), ("a b", nil), ("a/b", nil), ("a:b", nil),
            ("a:80:80", nil), ("[::1", nil), ("[]", nil), ("a:123456", nil), ("joe@a", nil), ("ä", nil), ("a:", "a"),
        ] as [(String, String?)])
    func `the name in a Host field`(field: String, name: String?) {
        #expect(HostRule.name(in: field) == name)
    }

    @Test(arguments: ["127.0.0.1", "localhost", "::1", "127.1.2.3"])
    func `on loopback only localhost, loopback addresses and the names that were given are answered`(address: String) {
        let rule = HostRule(listeningOn: address, allowing: ["App.Test"])

        for name in ["localhost", "127.0.0.1", "127.9.9.9", "[::1]", "app.localhost", "app.test"] { #expect(rule.allows(name), "\(name)") }
        for name in ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "128.0.0.1", "127.0.0.256", "notlocalhost"] {
            #expect(!rule.allows(name), "\(name)")
        }
    }

    @Test func `on other addresses every name is answered, unless names are given`() {
        #expect(HostRule(listeningOn: "0.0.0.0", allowing: []).allows("any.example"))
        #expect(!HostRule(listeningOn: "0.0.0.0", allowing: ["a.example"]).allows("any.example"))
        #expect(HostRule(listeningOn: "0.0.0.0", allowing: ["a.example"]).allows("a.example"))
    }
}

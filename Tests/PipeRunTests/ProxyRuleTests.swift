import NIOHTTP1
import Testing

@testable import PipelineServer

@Suite struct ProxyRuleTests {
    @Test(
        arguments: [
            // Without the word of a proxy, or of one that is not trusted.
            ("10.0.0.2", [], "10.0.0.2"), ("192.0.2.9", ["203.0.113.7"], "192.0.2.9"),
            ("10.0.0.2", ["203.0.113.7"], "203.0.113.7"), ("10.0.0.2", ["2001:DB8::1"], "2001:db8::1"),
            // What stands before the client is its own word.
            ("10.0.0.2", ["1.1.1.1, 203.0.113.7"], "203.0.113.7"), ("10.0.0.2", ["1.1.1.1", "203.0.113.7"], "203.0.113.7"),
            ("10.0.0.2", ["203.0.113.7, 10.0.0.3"], "203.0.113.7"), ("10.0.0.2", ["203.0.113.7, 10.0.0.3", "10.0.0.2"], "203.0.113.7"),
            // Only proxies.
            ("10.0.0.2", ["10.0.0.3"], "10.0.0.3"),
            // No address ends the way.
            ("10.0.0.2", ["unknown"], "10.0.0.2"), ("10.0.0.2", ["203.0.113.7, _hidden"], "10.0.0.2"), ("10.0.0.2", [""], "10.0.0.2"),
            ("10.0.0.2", ["203.0.113.7, unknown, 10.0.0.3"], "10.0.0.3"),
            // As some write them.
            ("10.0.0.2", ["203.0.113.7:4711"], "203.0.113.7"), ("10.0.0.2", ["[2001:db8::1]:443"], "2001:db8::1"),
            ("10.0.0.2", [" 203.0.113.7 "], "203.0.113.7"), ("::ffff:10.0.0.2", ["203.0.113.7"], "203.0.113.7"),
        ] as [(String, [String], String)])
    func `the client is the last address that a trusted proxy names and that is none`(peer: String, fields: [String], client: String) {
        let rule = ProxyRule(trusting: ["10.0.0.2", "10.0.0.3"])
        let headers = HTTPHeaders(fields.map { ("X-Forwarded-For", $0) })

        #expect(rule.client(peer, headers) == client)
    }

    @Test func `without a trusted proxy nobody's word counts`() {
        #expect(ProxyRule().client("10.0.0.2", ["X-Forwarded-For": "203.0.113.7"]) == "10.0.0.2")
        #expect(ProxyRule(trusting: ["10.0.0.2"]).client(nil, ["X-Forwarded-For": "203.0.113.7"]) == nil)
    }

    @Test(arguments: ["10.0.0.0/8", "proxy.example", "", "10.0.0", "1.2.3.4.5"])
    func `what is no address is none`(text: String) {
        #expect(ProxyRule.address(text) == nil)
    }
}

import PipelineNetwork
import Testing

@Suite
struct OriginIDTests {
    @Test
    func `an origin is written as in a URL, without the scheme's own port`() {
        #expect(OriginID(scheme: "https", host: "API.example.org", port: 443).description == "https://api.example.org")
        #expect(OriginID(scheme: "http", host: "127.0.0.1", port: 8080).description == "http://127.0.0.1:8080")
        #expect(OriginID(scheme: "http", host: "::1", port: 80).description == "http://[::1]")
    }
}

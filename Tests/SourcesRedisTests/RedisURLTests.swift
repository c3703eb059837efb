import PipelineConfig
import Testing

@testable import SourcesRedis

@Suite struct RedisURLTests {
    @Test(arguments: [
        ("redis://localhost", "redis://localhost:6379/0"), ("REDISS://Cache.Example.ORG:1/", "rediss://cache.example.org:1/0"),
        ("redis://:p%40ss%2Fword@[::1]:6380/15", "redis://[::1]:6380/15"), ("redis://user:@127.0.0.1:/3", nil),
        ("redis://@h/", "redis://h:6379/0"),
        ("http://h", nil), ("redis://", nil), ("redis://h/x", nil), ("redis://h/1/2", nil), ("redis://h?db=1", nil), ("redis://h:0", nil),
        ("redis://h:65536", nil), ("redis://h:+6379", nil), ("redis://user@h", nil), ("redis://h/9999999999", nil), ("redis://a b", nil),
        ("h:6379", nil),
    ])
    func `a URL names a server and a database, or is none`(text: String, place: String?) {
        #expect(RedisURL(text)?.written == place)
    }

    @Test func `user and password are decoded`() throws {
        let both = try #require(RedisURL("redis://us%3Aer:p%40s:s%2F@h"))
        let password = try #require(RedisURL("redis://:secret@h"))

        #expect(both.user == "us:er" && both.password == "p@s:s/")
        #expect(password.user == nil && password.password == "secret")
        #expect(both.hostToResolve == "h" && RedisURL("redis://[::1]")?.hostToResolve == "::1")
    }
}

import Testing

@testable import SourcesRedis

@Suite struct GlobPatternTests {
    @Test(arguments: [
        ("pipe-run:", "pipe\\-run:"), ("a*b?[c]", "a\\*b\\?\\[c\\]"), ("back\\", "back\\\\"),
        // One character for Swift, and an asterisk for the server.
        ("*\u{FE0F}\u{20E3}", "\\*\u{FE0F}\u{20E3}"), ("?\u{301}", "\\?\u{301}"),
    ])
    func `a text matches nothing but itself`(text: String, pattern: String) {
        #expect(Array(GlobPattern.literal(text).utf8) == Array(pattern.utf8))
    }
}

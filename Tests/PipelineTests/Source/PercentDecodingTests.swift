import Testing

@testable import Pipeline

@Suite struct PercentDecodingTests {
    private static let escapes = [
        ("", ""), ("plain", "plain"), ("%41", "A"), ("%2f%2F", "//"), ("%00", "\0"), ("%25%32%35", "%25"), ("%C3%A9é", "éé"),
        ("%F0%9F%98%80", "\u{1F600}"), ("%EF%BB%BFx", "\u{FEFF}x"), ("a+b", "a+b"), ("%2B", "+"), ("%4141", "A41"),
    ]

    @Test(arguments: escapes)
    func `each escape is the byte that it names`(encoded: String, text: String) {
        #expect(PercentEncoding.decoded(encoded[...].utf8).map { Array($0.utf8) } == Array(text.utf8))
        #expect(Array(PercentEncoding.leniently(decoded: encoded[...].utf8).utf8) == Array(text.utf8))
    }

    @Test(arguments: [
        ("%", "%"), ("a%", "a%"), ("%4", "%4"), ("%4x", "%4x"), ("%zz", "%zz"), ("%%41", "%A"), ("%+1", "%+1"), ("%-0", "%-0"),
        ("% 1", "% 1"), ("%0x41", "%0x41"), ("%４１", "%４１"), ("%u0041", "%u0041"), ("100%", "100%"),
    ])
    func `an escape that is none is refused, or left as text where people write by hand`(encoded: String, lenient: String) {
        #expect(PercentEncoding.decoded(encoded[...].utf8) == nil)
        #expect(PercentEncoding.leniently(decoded: encoded[...].utf8) == lenient)
    }

    @Test(arguments: ["%FF", "%C3", "a%C3b", "%C0%80", "%ED%A0%80", "%F4%90%80%80", "%80"])
    func `bytes that are not UTF-8 are refused, or replaced where people write by hand`(encoded: String) {
        #expect(PercentEncoding.decoded(encoded[...].utf8) == nil)
        #expect(PercentEncoding.leniently(decoded: encoded[...].utf8).unicodeScalars.contains("\u{FFFD}"))
    }

    @Test func `a plus is a space in a form alone`() {
        #expect(PercentEncoding.decoded("a+%2B%20"[...].utf8) == "a++ ")
        #expect(PercentEncoding.decoded("a+%2B%20"[...].utf8, plusIsSpace: true) == "a + ")
    }

    @Test(arguments: ["", "..", "a/b?c#d", "100%", "é\u{301}\0\r\n", "\u{1F600}~", "+ +"])
    func `what was encoded is decoded to the same bytes`(text: String) {
        for encoding in [PercentEncoding.url, .fileName, .path] {
            #expect(PercentEncoding.decoded(encoding.encoded(text)[...].utf8).map { Array($0.utf8) } == Array(text.utf8))
        }
    }
}

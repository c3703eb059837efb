import PipelineAnswers
import Testing

/// The charset of a body: by its byte order mark, else by the media type, else by its XML declaration.
@Suite struct AnswerCharsetTests {
    private static func utf16(_ text: String, isBigEndian: Bool = false) -> [UInt8] {
        text.utf16.flatMap { isBigEndian ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    }

    private static let latin: [UInt8] = Array("n\na".utf8) + [0xE9, 0x80, 0x9F]

    @Test(arguments: [
        "text/csv;charset=ISO-8859-1", "text/csv; header=present; Charset = \"latin1\"", "text/csv; a=\"x;charset=utf-8\\\"\"; charset=L1",
        "text/csv; charset=iso-8859-1; x", "text/csv; a b; c=\"d\"e; charset\t= latin1 ",
    ])
    func `AP-78 Latin-1 by charset`(contentType: String) {
        #expect(ReadAnswer(Self.latin, as: .csv, contentType: contentType) == .json("[{\"n\":\"aé\u{80}\u{9F}\"}]"))
    }

    @Test(arguments: ["windows-1252", "CP1252", "x-cp1252"]) func `windows-1252 has other signs in place of control characters`(
        name: String
    ) {
        #expect(ReadAnswer(Self.latin, as: .csv, contentType: "text/csv; charset=\(name)") == .json("[{\"n\":\"aé€Ÿ\"}]"))
        let all = Array("n\n".utf8) + Array(0x80...0x9F)
        let signs = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ"
        #expect(ReadAnswer(all, as: .csv, contentType: "text/csv; charset=\(name)") == .json("[{\"n\":\"\(signs)\"}]"))
    }

    @Test(arguments: [false, true]) func `UTF-16 by its mark, by charset, and by how XML begins`(isBigEndian: Bool) {
        let csv = "n\naé€😀"
        let expected = ReadAnswer.json("[{\"n\":\"aé€😀\"}]")
        let name = isBigEndian ? "utf-16be" : "UTF-16LE"

        let marked = Self.utf16("\u{FEFF}" + csv, isBigEndian: isBigEndian)
        #expect(ReadAnswer(marked, as: .csv) == expected)
        #expect(ReadAnswer(marked, as: .csv, contentType: "text/csv; charset=utf-8") == expected)
        #expect(ReadAnswer(Self.utf16(csv, isBigEndian: isBigEndian), as: .csv, contentType: "text/csv; charset=\(name)") == expected)
        #expect(ReadAnswer(Self.utf16(csv, isBigEndian: isBigEndian), as: .csv, contentType: "text/csv; charset=utf-16") == expected)
        let lines = Self.utf16("1\n\"€\"", isBigEndian: isBigEndian)
        #expect(ReadAnswer(lines, as: .ndjson, contentType: "a/b;charset=\(name)") == .json("[1,\"€\"]"))
        let xml = "<?xml version=\"1.0\" encoding=\"UTF-16\"?><a>é😀</a>"
        #expect(ReadAnswer(Self.utf16(xml, isBigEndian: isBigEndian), as: .xml) == .json("\"é😀\""))
        #expect(ReadAnswer(Self.utf16("\u{FEFF}<a>é</a>", isBigEndian: isBigEndian), as: .xml) == .json("\"é\""))
    }

    @Test func `UTF-16 that does not show its order is big-endian`() {
        #expect(
            ReadAnswer(Self.utf16("é\nü", isBigEndian: true), as: .csv, contentType: "text/csv; charset=utf-16") == .json("[{\"é\":\"ü\"}]")
        )
    }

    @Test(arguments: [
        ([0x6E, 0, 0x0A, 0, 0x00, 0xD8], "line 2: half a surrogate pair is not text"),
        ([0x6E, 0, 0x00, 0xDC], "line 1: half a surrogate pair is not text"),
        ([0x00, 0xD8, 0x6E, 0], "line 1: half a surrogate pair is not text"),
        ([0x00, 0xD8, 0x00, 0xD8], "line 1: half a surrogate pair is not text"),
        ([0x6E, 0, 0x0A], "line 1: half a character at the end"),
        ([0x6E, 0, 0x0D, 0, 0x6E, 0, 0x0D, 0, 0x0A], "line 3: half a character at the end"),
    ])
    func `what is no UTF-16 is named with its line`(body: [UInt8], expected: String) {
        for format in [AnswerFormat.ndjson, .csv, .xml] {
            #expect(ReadAnswer(body, as: format, contentType: "a/b; charset=utf-16le") == .problem(expected))
        }
    }

    @Test func `what is no UTF-8 is named with its line`() {
        for bytes: [UInt8] in [[0xE9], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82]] {
            #expect(ReadAnswer(Array("a\n\n".utf8) + bytes, as: .csv) == .problem("line 3: a byte that is not UTF-8"))
            #expect(ReadAnswer(Array("a\r\r".utf8) + bytes, as: .csv) == .problem("line 3: a byte that is not UTF-8"))
            #expect(ReadAnswer(Array("a\r\n\r".utf8) + bytes, as: .csv) == .problem("line 3: a byte that is not UTF-8"))
            #expect(ReadAnswer(Array("\n\n\"".utf8) + bytes + [0x22], as: .ndjson) == .problem("line 3: a string that is not UTF-8"))
            for (before, after) in [("<a>\n\n", "</a>"), ("<a>\n\n<b", "/></a>"), ("<a\n\nb='", "'/>"), ("<a>\n\n<![CDATA[", "]]></a>")] {
                let body = Array(before.utf8) + bytes + Array(after.utf8)
                #expect(ReadAnswer(body, as: .xml) == .problem("line 3: not well-formed (invalid token)"))
            }
        }
    }

    @Test(arguments: ["koi8-r", "utf-7", "utf-32", "x"]) func `another charset is refused with its name`(name: String) {
        let expected = "the charset `\(name)` is not read: expected UTF-8, UTF-16, ISO-8859-1 or windows-1252"

        #expect(ReadAnswer("a", as: .csv, contentType: "text/csv; charset=\(name)") == .problem(expected))
        #expect(ReadAnswer("<?xml version='1.0' encoding='\(name)'?><a/>", as: .xml) == .problem(expected))
        #expect(ReadAnswer("\u{FEFF}<?xml version='1.0' encoding='\(name)'?><a/>", as: .xml) == .json("\"\""))
        #expect(
            ReadAnswer("<?xml version='1.0' encoding='\(name)'?><a/>", as: .xml, contentType: "text/xml; charset=utf-8") == .json("\"\""))
    }

    @Test func `blanks in the name of a charset are part of it`() {
        let expected = "the charset `latin 1` is not read: expected UTF-8, UTF-16, ISO-8859-1 or windows-1252"

        #expect(ReadAnswer("a", as: .csv, contentType: "text/csv; charset= latin 1 ") == .problem(expected))
    }

    @Test(arguments: [
        "text/csv", "text/csv; charset=", "text/csv; charset=\"\"", "text/csv; x=charset=koi8-r", "text/csv;;", "", "charset=koi8-r",
    ])
    func `without a charset it is UTF-8`(contentType: String) {
        #expect(ReadAnswer("n\né", as: .csv, contentType: contentType) == .json("[{\"n\":\"é\"}]"))
    }

    @Test func `an XML declaration counts where nothing else does`() {
        let body = Array("<?xml version=\"1.0\" encoding=\"ISO-8859-1\" standalone='yes'?><a>".utf8) + [0xE9] + Array("</a>".utf8)

        #expect(ReadAnswer(body, as: .xml) == .json("\"é\""))
        #expect(ReadAnswer(body, as: .xml, contentType: "text/xml") == .json("\"é\""))
        #expect(ReadAnswer(body, as: .xml, contentType: "text/xml; charset=windows-1252") == .json("\"é\""))
        #expect(ReadAnswer(body, as: .xml, contentType: "text/xml; charset=utf-8") == .problem("line 1: not well-formed (invalid token)"))
        #expect(
            ReadAnswer("<?xml version=\"1.0\"?><a encoding=\"koi8-r\">é</a>", as: .xml) == .json(##"{"@encoding":"koi8-r","#text":"é"}"##))
    }

    @Test func `a declaration of UTF-16 that is read byte by byte is not believed`() {
        #expect(ReadAnswer("<?xml version=\"1.0\" encoding=\"utf-16\"?><a>é</a>", as: .xml) == .json("\"é\""))
    }
}

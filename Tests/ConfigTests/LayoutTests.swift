import Pipeline
import PipelineConfig
import Testing

@testable import PipelineYAML

/// What `fmt` makes of single lines: comments stay, and spaces between the parts of a line go.
@Suite struct LayoutTests {
    private static func laidOut(_ line: String) -> String? {
        FormattedFile(Reading.file(line + "\n")).map { String(decoding: $0.file.text.dropLast(), as: UTF8.self) }
    }

    @Test(arguments: [
        "#  api:\n#    type: http\n#    url: \"http://h/\"\na: 1", "# | column a |  b |\na: 1", "  #\tone,   two   three :  x\na: 1",
        "a: 1 # one,   two", "a: 1   #  one  , two", "a: # one   two\n  b: 1", "- # one   two\n  a", "a: \"b\"#  c   d\nc: 1",
        "a: [b,#  c   d\n  e]", "a: &b #  c   d\n  e: 1", "--- #  a   b\na: 1", "a: |\n  x   y\n#  b   c\nd: 1",
        "a: \"x\n  # y   z\" #  b   c", "a: 1\n#\n#   \u{A0}b  c", "? a #   b  c\n: d",
    ]) func `a comment stays as it is`(text: String) {
        #expect(Self.laidOut(text) == text)
    }

    @Test(
        arguments: [
            ("a: { type: memory , max_entries:   5 }", "a: { type: memory, max_entries: 5 }"), ("a: {b: 1  ,\tc: 2}", "a: {b: 1, c: 2}"),
            ("a: [ b , c ] # d ,  e", "a: [ b, c ] # d ,  e"), ("a: { b : 1, \"c\" :   2 }", "a: { b: 1, \"c\": 2 }"),
            ("a: { b: , c: 1 }", "a: { b: , c: 1 }"), ("a: { b: \"x , y :   z\" , c: ' , ' }", "a: { b: \"x , y :   z\", c: ' , ' }"),
            ("a: { b: 1 , }", "a: { b: 1, }"), ("a :   1", "a: 1"), ("a: b , c", "a: b , c"), ("a: &x   b", "a: &x b"),
            ("a: { b: x y  ,\n  c:   d }", "a: { b: x y,\n  c: d }"), ("a: \"x\n  y   z\"   ,   b", nil),
            ("[ \"x\n  y   z\"   ,   b ]", "[ \"x\n  y   z\", b ]"),
        ] as [(String, String?)]) func `one space stands between parts, and none before a comma or a colon`(
            written: String, laidOut: String?
        )
    {
        #expect(Self.laidOut(written) == laidOut)
        if let laidOut { #expect(Self.laidOut(laidOut) == laidOut) }
    }
}

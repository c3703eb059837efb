import PipelineConfig
import Testing

@testable import Pipeline

/// Plain text with parameters: a brace that encloses no name is text.
@Suite struct TextTemplateTests {
    private static func filled(_ text: String) -> String {
        TextTemplate(template: Template(InterpolatedText(pieces: [.literal(text, offset: 0)]), isLenient: true))
            .filled(for: Key(pipeline: "p", parameters: ["user": "{me}", "b": "2"]))
    }

    @Test(arguments: [
        (#"{"user":"{user}"}"#, #"{"user":"{me}"}"#), (#"{"a":{"b":{}}}"#, #"{"a":{"b":{}}}"#), ("{", "{"), ("}", "}"), ("{}", "{}"),
        ("{{user}}", "{{me}}"),
        ("{us er}", "{us er}"), ("{1}", "{1}"), ("{user", "{user"), ("{b}{b}", "22"), ("{a{b}c}", "{a2c}"), ("", ""), ("{none}", ""),
        ("{pipeline}", "p"),
        ("{key}", "p,b=2,user=%7Bme%7D"), ("{é}", "{é}"),
    ]) func `braces that enclose no name are text`(_ text: String, _ expected: String) {
        #expect(Self.filled(text) == expected)
    }

    @Test func `values are encoded, the text of the file is not`() {
        let template = TextTemplate(
            template: Template(
                InterpolatedText(pieces: [.literal("a'{user}'", offset: 0), .value("'{user}'", name: "X")]), isLenient: true))

        #expect(
            template.filled(for: Key(pipeline: "p", parameters: ["user": "'x'"])) { $0.replacing("'", with: "''") } == "a'''x'''"
                + "'{user}'")
    }

    @Test(arguments: ["{user", "{us er}", "{}", "{1a}", "{é}", "a{"]) func `elsewhere such a brace is a problem`(_ text: String) {
        #expect(Template(InterpolatedText(pieces: [.literal(text, offset: 0)])).problems.count == 1)
    }

    @Test(arguments: [true, false]) func `many braces are read in one pass`(_ isLenient: Bool) {
        let text = String(repeating: "{", count: 200_000) + (isLenient ? "}" : "")

        let template = Template(InterpolatedText(pieces: [.literal(text, offset: 0)]), isLenient: isLenient)

        #expect(template.problems.count == (isLenient ? 0 : 1))
    }

    @Test func `a secret template does not print`() {
        let secret = SecretTemplate(template: Template(InterpolatedText(pieces: [.literal("hunter2", offset: 0)])))

        #expect("\(secret)" == "***")
        #expect(String(reflecting: secret) == "***")
        #expect(secret.revealed(for: Key(pipeline: "p")) == "hunter2")
    }
}

import Pipeline
import PipelineJSON
import Testing

@testable import PipelineConfig

/// Values in strings of GraphQL within a JSON body, read as a server reads them.
@Suite struct GraphQLBodyTests {
    /// Documents with one string, and what that means for a value.
    private static let templates: [(document: String, meaning: @Sendable (String) -> String)] = [
        (#"{ a(t: "{user}") }"#, { $0 }), (#"{ a(t: "\\{user}\"") }"#, { "\\" + $0 + "\"" }),
        (#"{ a(t: """{user}""") }"#, { $0 }), (#"{ a(t: """"{user}"x""") }"#, { "\"" + $0 + "\"x" }),
        (#"{ a(t: """\"""{user}\"""""") }"#, { "\"\"\"" + $0 + "\"\"\"" }),
        (#"{ a(t: """\{user}\"""x""") }"#, { "\\" + $0 + "\"\"\"x" }),
        ("{ a(t: \"\"\"\n    x {user}\n      y\n  \"\"\") }", { "x " + $0 + "\n  y" }),
        ("# \"\"\" {user}\n{ a(t: \"\"\"{user}\"\"\") }", { $0 }), (#"{ a(t: """{user}{user}""") }"#, { $0 + $0 }),
    ]

    /// Every text of up to three of these.
    private static let values: [String] = {
        let letters = ["\"", "\\", "\n", " ", "x", "\r\n", "\0", "#", ")"]
        var all = [""]
        var longest = [""]
        for _ in 1...3 {
            longest = longest.flatMap { text in letters.map { text + $0 } }
            all += longest
        }
        return all
    }()

    @Test(arguments: templates.indices) func `a value in a string stays there, and arrives as it is`(index: Int) throws {
        let (document, meaning) = Self.templates[index]
        let body = InterpolatedText(pieces: [.literal(#"{"query":"\#(JSONText.escaped(document))"}"#, offset: 0)])
        let template = TextTemplate(template: Template(body, isLenient: true))

        for value in Self.values {
            let body = JSONBody.fill(template, for: Key(pipeline: "friends", parameters: ["user": value]))
            let text = JSONScalar.string(body, at: 9..<(body.count - 1))
            var reader = Reader(text)
            #expect(reader.strings() == [meaning(value)], "\(text)")
        }
    }

    /// Finds the strings of a document (GraphQL, October 2021, section 2.9.4).
    private struct Reader {
        private var rest: Substring.UnicodeScalarView

        init(_ text: String) { rest = Substring(text).unicodeScalars }

        private mutating func take(_ text: String) -> Bool {
            guard rest.starts(with: text.unicodeScalars) else { return false }
            rest.removeFirst(text.unicodeScalars.count)
            return true
        }

        /// Nil for a string that does not end.
        mutating func strings() -> [String?] {
            var found: [String?] = []
            while !rest.isEmpty {
                if take("\"\"\"") {
                    found.append(block())
                } else if take("\"") {
                    found.append(line())
                } else if take("#") {
                    rest = rest.drop { $0 != "\n" && $0 != "\r" }
                } else {
                    rest.removeFirst()
                }
            }
            return found
        }

        private mutating func line() -> String? {
            var raw = "\""
            while let next = rest.popFirst(), next != "\n", next != "\r" {
                raw.unicodeScalars.append(next)
                if next == "\"" { return JSONScalar.string(Array(raw.utf8), at: 0..<raw.utf8.count) }
                if next == "\\", let escaped = rest.popFirst() { raw.unicodeScalars.append(escaped) }
            }
            return nil
        }

        private mutating func block() -> String? {
            var raw = ""
            while !rest.isEmpty {
                if take("\"\"\"") { return Self.meaning(of: raw) }
                if take("\\\"\"\"") {
                    raw += "\"\"\""
                } else {
                    let next = rest.removeFirst()
                    // No character of a document.
                    if next == "\0" { return nil }
                    raw.unicodeScalars.append(next)
                }
            }
            return nil
        }

        private static func meaning(of raw: String) -> String {
            var lines = [""]
            for character in raw { if character.isNewline { lines.append("") } else { lines[lines.count - 1].append(character) } }
            func indent(_ line: String) -> Int? { line.allSatisfy { $0 == " " } ? nil : line.prefix { $0 == " " }.count }
            let common = lines.dropFirst().compactMap(indent).min() ?? 0
            for index in lines.indices.dropFirst() { lines[index] = String(lines[index].dropFirst(common)) }
            while let first = lines.first, indent(first) == nil { lines.removeFirst() }
            while let last = lines.last, indent(last) == nil { lines.removeLast() }
            return lines.joined(separator: "\n")
        }
    }
}

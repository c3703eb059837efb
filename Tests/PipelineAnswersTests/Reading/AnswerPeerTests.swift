import PipelineAnswers
import PipelineTesting
import Testing

/// Damaged and sound texts, read here and by libraries of Python: the same values, and the same refusals.
@Suite(.enabled(if: PythonPeer.has("csv, json, xml.parsers.expat"), "\(PythonPeer.advice)"))
struct AnswerPeerTests {
    private static func cases(_ format: AnswerFormat, seed: UInt64, _ signs: [String]) throws -> [(text: String, ours: String?)] {
        var damage = DamagedText(random: SplitMix64(seed: seed), signs: signs)
        return try (0..<4_000).map { _ in
            let sample = damage.random.pick(try #require(AnswerFuzzTests.samples[format]))
            let text = damage.random.chance(5) ? sample : damage.damaged(sample)
            guard case .json(let json) = ReadAnswer(text, as: format, contentType: "a/b; charset=utf-8") else { return (text, nil) }
            return (text, json)
        }
    }

    /// Without the byte order mark, which is no part of a text here.
    private static let signs = AnswerFuzzTests.signs.filter { $0 != "\u{FEFF}" }

    private func compare(_ program: String, _ format: AnswerFormat, seed: UInt64) throws {
        let cases = try Self.cases(format, seed: seed, Self.signs)

        let differences = try PythonPeer.differences(program, cases)
        #expect(differences == [])
        #expect(cases.count { $0.ours != nil } > 200 && cases.count { $0.ours == nil } > 200)
    }

    @Test(arguments: 1...3) func `AP-78 csv is what Python's strict csv reads`(seed: UInt64) throws {
        let program = """
            import csv, io
            csv.field_size_limit(10**9)
            class Refused(Exception): pass
            def read(text):
                try:
                    rows = [row for row in csv.reader(io.StringIO(text, newline=""), strict=True) if row]
                except csv.Error:
                    raise Refused
                if not rows: return []
                names = rows[0]
                if len(set(names)) < len(names) or any(len(row) != len(names) for row in rows): raise Refused
                return [dict(zip(names, row)) for row in rows[1:]]
            """
        try compare(program, .csv, seed: seed)
    }

    @Test(arguments: 1...3) func `AP-77 ndjson is what Python's json reads line by line`(seed: UInt64) throws {
        let program = """
            import json
            class Refused(Exception): pass
            def constant(name): raise ValueError(name)
            def read(text):
                try:
                    return [json.loads(line, parse_constant=constant) for line in text.split("\\n") if line.strip(" \\t\\r")]
                except ValueError:
                    raise Refused
            """
        try compare(program, .ndjson, seed: seed)
    }

    @Test(arguments: 1...3) func `AP-79 xml is what a tree of Python's expat gives`(seed: UInt64) throws {
        let program = """
            import xml.parsers.expat as expat
            class Refused(Exception): pass
            def value(attributes, children, text):
                text = "".join(text)
                if not attributes and not children: return text
                result = {"@" + name: value for name, value in attributes.items()}
                for name, child in children: result.setdefault(name, []).append(child)
                if text and (not children or text.strip(" \\t\\r\\n")): result["#text"] = text
                return result
            def read(text):
                outermost = ({}, [], [])
                stack = [outermost]
                names = []
                def start(name, attributes):
                    names.append(name)
                    stack.append((attributes, [], []))
                def end(name):
                    element = value(*stack.pop())
                    stack[-1][1].append((names.pop(), element))
                def doctype(*arguments): raise Refused
                parser = expat.ParserCreate("UTF-8")
                parser.StartElementHandler, parser.EndElementHandler = start, end
                parser.CharacterDataHandler = lambda text: stack[-1][2].append(text)
                parser.StartDoctypeDeclHandler = doctype
                try:
                    parser.Parse(text.encode(), True)
                except expat.ExpatError:
                    raise Refused
                return outermost[1][0][1]
            """
        try compare(program, .xml, seed: seed)
    }
}

import Pipeline
import PipelineConfig
import PipelineYAML
import Testing

/// `${…}`: values from outside, which are data and never structure.
@Suite struct InterpolationTests {
    /// The pipeline's description is a text field without further rules.
    private static func description(_ scalar: String, level: ValidationLevel = .env) -> (text: String?, summary: [String]) {
        let report = Reading.report(
            "sources: { s: { type: file, path: s.json, read_only: true } }\npipelines:\n  p:\n    description: \(scalar)\n    tiers: [s]\n",
            level: level, folder: "conf"
        )
        return (report.plan.pipelines.first?.description, report.summary)
    }

    @Test(arguments: [
        ("${SOURCE}", "memory"), ("a ${SOURCE} b", "a memory b"), ("${SOURCE}${SOURCE}", "memorymemory"), ("${NO:-default}", "default"),
        ("${NO:-}", ""), ("${EMPTY}", ""), ("${EMPTY:-full}", "full"), ("${SOURCE:-other}", "memory"), ("${SOURCE:?must be set}", "memory"),
        ("$$", "$"), ("$${SOURCE}", "${SOURCE}"), ("$$$${SOURCE}", "$${SOURCE}"), ("$$${SOURCE}", "$memory"), ("$", "$"),
        ("$SOURCE", "$SOURCE"),
        ("a$", "a$"), ("${NO:-${SOURCE}}", "memory"), ("${NO:-a${EMPTY:-${SOURCE}}z}", "amemoryz"), ("${NO:-$$}", "$"),
        ("${NO:-a:-b}", "a:-b"),
        ("${NO:-}}", "}"), ("${file:token.txt}", "file-t0ken"), ("${file:/abs/token.txt}", "abs-t0ken"), ("${file:empty.txt}", ""),
        ("${file:mark.txt}|${file:mark-alone.txt}|${file:marks.txt}", "t0ken||t0\u{FEFF}ken"), ("${NO:-${file:mark.txt}}", "t0ken"),
        ("x${NO:-${file:token.txt}}", "xfile-t0ken"), ("${NO:-{user}}", "{user}"),
    ]) func `references are replaced`(_ text: String, _ expected: String) {
        let (value, summary) = Self.description("'\(text)'")

        #expect(summary == [])
        #expect(value == expected)
    }

    @Test(arguments: [
        ("${NO}", "P401 environment variable `NO` is not set"), ("${NO:?}", "P401 environment variable `NO` is not set"),
        ("${EMPTY:?x}", "P401 environment variable `EMPTY` is not set, or empty"), ("${", "P105 `${` without its `}`"),
        ("a ${SOURCE", "P105 `${` without its `}`"), ("${}", "P105 `${}` does not begin with the name of a variable"),
        ("${1}", "P105 `${1}` does not begin with the name of a variable"),
        ("${ NO }", "P105 `${ NO }` does not begin with the name of a variable"),
        ("${é}", "P105 `${é}` does not begin with the name of a variable"),
        ("${A-b}", "P105 `${A-b}` is not one of `${NAME}`, `${NAME:-default}`, `${NAME:?what to do}`, `${file:path}`"),
        (
            "${SOURCE\u{301}}",
            "P105 `${SOURCE\u{301}}` is not one of `${NAME}`, `${NAME:-default}`, `${NAME:?what to do}`, `${file:path}`"
        ),
        ("${A:b}", "P105 `${A:b}` is not one of `${NAME}`, `${NAME:-default}`, `${NAME:?what to do}`, `${file:path}`"),
        ("${file:}", "P105 `${file:}` does not name a file"), ("${file:no.txt}", "P402 cannot read the file `no.txt`: no such file"),
        ("${file:folder}", "P402 cannot read the file `folder`: it is a folder"),
    ]) func `what cannot be replaced is a diagnostic`(_ text: String, _ expected: String) {
        #expect(Self.description("'\(text)'").summary == [expected])
    }

    @Test func `a combining mark behind a name belongs to no name, and is no other variable`() {
        let report = Reading.report(
            "sources: { s: { type: file, path: 'x-${SOURCE\u{301}}', read_only: true } }\npipelines: { p: { tiers: [s] } }\n")

        #expect(report.codes == ["P105"])
        #expect(report.diagnostics.allSatisfy { $0.help?.contains("${SOURCE}") != true })
        // Behind the sign of a default it belongs to that.
        #expect(Self.description("'${NO:-\u{301}x}'").text?.unicodeScalars.elementsEqual("\u{301}x".unicodeScalars) == true)
        #expect(Self.description("'${NO:?\u{301}x}'").summary == ["P401 environment variable `NO` is not set"])
    }

    @Test func `every reference of a scalar is reported`() {
        #expect(Self.description("${A1} ${B2:?x} ${file:c}").summary.map { $0.prefix(4) } == ["P401", "P401", "P402"])
    }

    @Test func `the advice is the help`() {
        let report = Reading.report(
            "sources: { s: { type: file, path: '${NO:?run make env first}', read_only: true } }\npipelines: { p: { tiers: [s] } }\n")

        #expect(report.diagnostics.map(\.help) == ["run make env first"])
    }

    @Test func `defaults nest eight deep and no deeper`() {
        func nested(_ depth: Int) -> String { String(repeating: "${NO:-", count: depth) + "x" + String(repeating: "}", count: depth) }

        #expect(Self.description("'\(nested(8))'").text == "x")
        #expect(Self.description("'\(nested(9))'").summary.map { $0.prefix(4) } == ["P105"])
        #expect(Self.description("'\(nested(20_000))'").summary.map { $0.prefix(4) } == ["P105"])
    }

    @Test(arguments: ["BRACES", "INJECTED", "COLON"]) func `a value stays one text, whatever is in it`(_ name: String) {
        for scalar in ["${\(name)}", "'${\(name)}'", "\"${\(name)}\""] {
            let (text, summary) = Self.description(scalar)

            #expect(summary == [])
            #expect(text == Reading.variables[name])
        }
    }

    @Test func `a value with braces names no parameter`() throws {
        let report = Reading.report(
            """
            sources: { s: { type: file, path: "x/${BRACES}.json" }, o: { type: http, url: "http://h/${BRACES}/${COLON}" } }
            pipelines: { p: { tiers: [s, o] } }
            """)

        #expect(report.summary == [])
    }

    @Test func `a brace of the file and one of a value make no parameter`() {
        let report = Reading.report(
            "sources: { s: { type: file, path: '{${SOURCE}}' } }\npipelines: { p: { parameters: [memory], tiers: [s] } }\n")

        #expect(report.codes == ["P105"])
    }

    @Test func `a value that is no list adds no tier`() {
        let report = Reading.report(
            "sources: { s: { type: memory } }\npipelines: { p: { tiers: ['${LIST}', s] } }\n",
            environment: ConfigEnvironment(["LIST": "[s, s]"]))

        #expect(report.summary == ["P201 undefined source `[s, s]`"])
    }

    @Test func `the name of a source and a tier may come from a variable`() {
        let report = Reading.report(
            "sources: { memory: { type: '${SOURCE}' }, s: { type: file, path: s.json, read_only: true } }\npipelines: { p: { tiers: ['${SOURCE}', s] } }\n"
        )

        #expect(report.summary == [])
    }

    @Test(arguments: [ValidationLevel.schema, .graph]) func `below env nothing is said about variables and files, and the rest is checked`(
        _ level: ValidationLevel
    ) {
        let report = Reading.report(
            """
            sources:
              s: { type: file, path: "${NO}/{key}", durable: maybe }
              o: { type: http, url: "${NO}/x", headers: { A: "${file:no}" } }
            pipelines: { p: { tiers: [s, o], deadline: "${NO}", colour: blue } }
            """, level: level)

        #expect(report.codes == ["P103", "P101"])
    }

    @Test func `a variable stands in no key`() {
        let report = Reading.report(
            "sources: { s: { type: file, path: x, read_only: true, \"${SOURCE}\": 1 } }\npipelines: { p: { tiers: [s] } }\n")

        #expect(report.summary == ["P105 a variable stands in values, not in keys: `${SOURCE}`"])
    }

    @Test func `many large files are too much, and reading them ends`() {
        let large = String(repeating: "x", count: 1 << 20)
        let reads = Counter()
        let environment = ConfigEnvironment(
            variable: { _ in nil },
            file: { _ in
                reads.increment()
                return .success(large)
            })

        let report = Reading.report(
            "sources: { s: { type: file, path: s.json, read_only: true } }\npipelines: { p: { tiers: [s], description: '\(String(repeating: "${file:a}", count: 10_000))' } }\n",
            environment: environment)

        #expect(report.codes == ["P003"])
        #expect(reads.count < 20)
    }
}

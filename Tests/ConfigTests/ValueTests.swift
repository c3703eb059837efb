import PipelineYAML
import Testing

@testable import Pipeline
@testable import PipelineConfig

/// How scalars become values.
@Suite struct ValueTests {
    /// A source that keeps what its fields were decoded to.
    private struct Probe: Source {
        let values: [String]
        func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { nil }
    }

    private static func probe<Value: FieldValue & Sendable>(_ type: Value.Type, _ yaml: String) -> (value: String?, summary: [String]) {
        let plugin = SourcePlugin(origin: "probe", summary: "", fields: Field<Value>("f", "")) { _, value in Probe(values: ["\(value)"]) }
        let report = Reading.report(
            "sources:\n  s:\n    type: probe\n    f: \(yaml)\npipelines: { p: { tiers: [s] } }\n", plugins: [plugin])
        let source = try? report.plan.sources.first?.making?(SourceContext(name: "s", clock: .system)).source
        return ((source as? Probe)?.values.first, report.summary)
    }

    @Test(arguments: [
        ("250ms", 250_000_000), ("30s", 30_000_000_000), ("10m", 600_000_000_000), ("1h30m", 5_400_000_000_000),
        ("2d", 172_800_000_000_000), ("1.5s", 1_500_000_000), ("0", 0), ("0s", 0), ("'30s'", 30_000_000_000),
        ("1d2h3m4s5ms6us7ns", 93_784_005_006_007),
        ("0.1s", 100_000_000), ("007s", 7_000_000_000), ("106751d", 9_223_286_400_000_000_000),
    ]) func `durations`(_ text: String, _ nanoseconds: Int64) {
        let (value, summary) = Self.probe(Duration.self, text)

        #expect(summary == [])
        #expect(value == "\(Duration.nanoseconds(nanoseconds))")
    }

    @Test(arguments: [
        ("soon", "P105"), ("''", "P105"), ("30", "P105"), ("1.5", "P105"), ("30S", "P105"), ("1m1h", "P105"), ("1s1s", "P105"),
        ("1h 30m", "P105"), (".5s", "P105"), ("5.s", "P105"), ("1e3s", "P105"), ("s", "P105"), ("--5s", "P105"), ("5s-", "P105"),
        ("٣s", "P105"), ("1h30", "P105"), ("-5s", "P104"), ("-0", "P104"), ("-30", "P104"), ("106752d", "P104"),
        ("99999999999999999999s", "P104"), ("~", "P103"), ("", "P103"), ("[30s]", "P103"), ("{ s: 30 }", "P103"),
        (String(repeating: "-", count: 200_000), "P105"), (String(repeating: "1", count: 200_000) + "s", "P105"),
        ("1." + String(repeating: "1", count: 200_000), "P105"),
    ]) func `TT-03 a text that is no duration is a diagnostic, never for ever`(_ text: String, _ code: String) {
        let (value, summary) = Self.probe(Duration.self, text.hasPrefix("--") ? "'\(text)'" : text)

        #expect(value == nil)
        #expect(summary.map { $0.prefix(4) } == [Substring(code)])
        #expect(summary.allSatisfy { $0.count < 300 })
    }

    @Test(arguments: [
        ("512KB", 512_000), ("64MiB", 67_108_864), ("10", 10), ("0", 0), ("1.5GB", 1_500_000_000), ("1TiB", 1 << 40), ("7b", 7),
        ("2gib", 2 << 30),
    ]) func `sizes`(_ text: String, _ bytes: Int) {
        #expect(Self.probe(Size.self, text).value == "\(Size(bytes: bytes))")
    }

    @Test(arguments: [
        ("64 MiB", "P105"), ("MiB", "P105"), ("1MB1KB", "P105"), ("1PB", "P105"), ("-1", "P104"), ("-1MB", "P104"), ("9999999TiB", "P104"),
        ("''", "P105"), ("null", "P103"),
    ]) func `texts that are no sizes`(_ text: String, _ code: String) {
        #expect(Self.probe(Size.self, text).summary.map { $0.prefix(4) } == [Substring(code)])
    }

    @Test(arguments: [("0.8", 0.8), ("80%", 0.8), ("0", 0), ("1", 1), ("12.5%", 0.125)]) func `ratios`(_ text: String, _ ratio: Double) {
        #expect(Self.probe(Ratio.self, text).value == "\(Ratio(ratio))")
    }

    @Test(arguments: ["half", "", "%", ".", "1.2.3", "0x1", "1e-3", "80 %", "80%%", "nan", "inf"]) func `texts that are no ratios`(
        _ text: String
    ) {
        let (value, summary) = Self.probe(Ratio.self, "'\(text)'")

        #expect(value == nil)
        #expect(summary.map { $0.prefix(4) } == ["P105"])
    }

    @Test(arguments: [
        ("10", 10), ("0123", 123), ("0o17", 15), ("0x1F", 31), ("-7", -7), ("+7", 7), ("0", 0), ("9223372036854775807", Int.max),
        ("-9223372036854775808", Int.min), ("0x7fffffffffffffff", Int.max),
    ]) func `integers`(_ text: String, _ value: Int) {
        #expect(Self.probe(Int.self, text).value == "\(value)")
    }

    @Test(arguments: [
        ("9223372036854775808", "P104", "too large"), ("-9223372036854775809", "P104", "too small"),
        ("0xFFFFFFFFFFFFFFFFFF", "P104", "too large"),
        ("0o7777777777777777777777777", "P104", "too large"), ("1.0", "P103", "an integer"), ("1e3", "P103", "an integer"),
        ("1_000", "P103", "an integer"), ("0b11", "P103", "an integer"), ("0x", "P103", "an integer"), ("0o8", "P103", "an integer"),
        ("0x-1", "P103", "an integer"), ("'10'", "P103", "the string"), ("ten", "P103", "an integer"), ("٣", "P103", "an integer"),
        ("", "P103", "nothing"),
    ]) func `texts that are no integers`(_ text: String, _ code: String, _ words: String) {
        let (value, summary) = Self.probe(Int.self, text)

        #expect(value == nil)
        #expect(summary.map { $0.prefix(4) } == [Substring(code)])
        #expect(summary.first?.contains(words) == true)
    }

    @Test(arguments: [
        ("true", true), ("True", true), ("TRUE", true), ("yes", true), ("on", true), ("ON", true), ("false", false), ("no", false),
        ("Off", false),
        ("NO", false),
    ]) func `bools`(_ text: String, _ value: Bool) {
        #expect(Self.probe(Bool.self, text).value == "\(value)")
    }

    @Test(arguments: ["'true'", "\"yes\"", "!!str true", "y", "n", "1", "tRUE", "null", "[]"]) func `texts that are no bools`(
        _ text: String
    ) {
        let (value, summary) = Self.probe(Bool.self, text)

        #expect(value == nil)
        #expect(summary.map { $0.prefix(4) } == ["P103"])
    }

    @Test(arguments: ["no", "on", "yes", "off", "true", "0123", "1.5", "0x1F", "1e3", "2024-01-01", "12:30:45", "nan", ".inf", "=", "+7"])
    func `what another field would read as something else is text in a text field`(_ text: String) {
        #expect(Self.probe(String.self, text).value == text)
    }

    @Test(arguments: ["~", "null", "Null", "NULL", ""]) func `nothing is no text, and in quotes it is`(_ text: String) {
        #expect(Self.probe(String.self, text).summary == ["P103 expected text for `f`, found nothing"])
        #expect(Self.probe(String.self, "'\(text)'").value == text)
        #expect(Self.probe(String.self, "!!str '\(text)'").value == text)
    }

    @Test func `a number from a variable is a number`() {
        let plugin = SourcePlugin(origin: "probe", summary: "", fields: Field<Int>("f", ""), Field<Bool>("b", "")) { _, number, bool in
            Probe(values: ["\(number) \(bool)"])
        }

        let report = Reading.report(
            "sources: { s: { type: probe, f: \"${N}\", b: '${B}' } }\npipelines: { p: { tiers: [s] } }\n", plugins: [plugin],
            environment: ConfigEnvironment(["N": "0042", "B": "on"]))

        #expect(report.summary == [])
        #expect((try? report.plan.sources[0].making?(SourceContext(name: "s", clock: .system)).source as? Probe)?.values == ["42 true"])
    }

    @Test(arguments: [Duration.seconds(90), .milliseconds(1), .nanoseconds(1), .seconds(86_400 * 3 + 5), .zero])
    func `a duration is written as it is read`(_ duration: Duration) throws {
        #expect(try Quantity.duration(duration.written ?? "") == duration)
    }
}

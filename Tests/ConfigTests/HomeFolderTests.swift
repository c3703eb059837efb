import Pipeline
import PipelineConfig
import PipelineYAML
import Testing

/// A leading `~/` in a path is the folder that `HOME` names.
@Suite struct HomeFolderTests {
    private static func report(_ source: String, home: String?) -> ConfigReport {
        Reading.report(
            "sources:\n  a: { \(source) }\n  b: { type: file, path: \"/home/me/x.json\" }\n  o: { type: http, url: \"http://h/\" }\n"
                + "pipelines:\n  p: { tiers: [{ source: a, ttl: 1h }, { source: b, ttl: 1h }, o] }\n",
            folder: "conf", environment: ConfigEnvironment(variable: { $0 == "HOME" ? home : nil }))
    }

    @Test(arguments: ["/home/me", "/home/me/"]) func `two caches write one place when one of them names it from home`(home: String) {
        #expect(Self.report("type: file, path: ~/x.json", home: home).codes == ["P307"])
    }

    @Test func `a tilde elsewhere is a letter, and so is one that a variable gives`() {
        #expect(Self.report("type: file, path: \"a/~/x.json\"", home: nil).codes == [])
        #expect(Self.report("type: file, path: \"${NO:-~/x.json}\"", home: "/home/me").codes == [])
    }

    @Test(arguments: ["type: file, path: ~/x.json", "type: sqlite, path: ~/x.db"]) func `without HOME it is not known`(source: String) {
        let found = Self.report(source, home: nil).diagnostics.filter { $0.code == .variableNotSet }

        #expect(found.map(\.message) == ["environment variable `HOME` is not set, and `~/` stands for the folder that it names"])
    }

    @Test func `a file of certificates that is not there is named at its field`() {
        let environment = ConfigEnvironment(
            variable: { _ in nil },
            problem: { $0 == "conf/ca.pem" ? ConfigEnvironment.FileProblem("no such file") : nil })
        func report(_ file: String) -> ConfigReport {
            Reading.report(
                "sources:\n  o: { type: http, url: \"https://h/\", ca_file: \(file) }\npipelines: { p: { tiers: [o] } }\n", folder: "conf",
                environment: environment)
        }

        #expect(report("ca.pem").summary == ["P402 cannot read the file of `ca_file`: no such file"])
        #expect(report("ca.pem").diagnostics.first?.range.start == TextPosition(line: 2, column: 48))
        #expect(report("/etc/ca.pem").summary == [])
    }
}

import Foundation
import Pipeline
import PipelineConfig
import Testing

extension CommandLineTests {
    @Suite struct ExplainCodeTests {
        @Test(arguments: ["P201", "p201"]) func `prints the page of a code, in either case`(code: String) async throws {
            let ran = try await WorkFolder().run("explain-code", code)

            #expect(ran.status == 0 && ran.errors == "")
            #expect(ran.text.hasPrefix("# P201: an undefined source\n"))
            #expect(ran.text.contains("## Wrong\n\n```yaml\n") && ran.text.contains("## Fixed\n\n```yaml\n"))
        }

        @Test(arguments: ["P501", "P502", "P901"]) func `knows the codes of every level`(code: String) async throws {
            #expect(try await WorkFolder().run("explain-code", code).text.hasPrefix("# \(code): "))
        }

        @Test func `without a code it lists all of them`() async throws {
            let ran = try await WorkFolder().run("explain-code")

            #expect(ran.status == 0 && ran.lines.count == DiagnosticCode.allCases.count)
            #expect(
                ran.lines.contains("P201  error    an undefined source")
                    && ran.lines.contains("P304  warning  no origin: every tier is a cache"), "\(ran.text)")
        }

        @Test(arguments: [("P2O1", "did you mean `P201`?"), ("x", "known codes: `P001`"), ("", "known codes: `P001`")])
        func `an unknown code ends with 64 and the nearest`(code: String, help: String) async throws {
            let ran = try await WorkFolder().run("explain-code", code)

            #expect(ran.status == 64 && ran.text == "")
            #expect(ran.errors.contains("unknown code `\(code)`") && ran.errors.contains(help), "\(ran.errors)")
        }
    }
}

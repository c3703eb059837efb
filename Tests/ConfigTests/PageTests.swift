import Foundation
import PipelineConfig
import PipeRunKit
import Pipeline
import PipelineScenarios
import PipelineYAML
import Testing

@testable import PipelineReports

/// Each code has a page, and what the page shows is so. The pages are `docs/diagnostics`; `scripts/embed-pages` puts them into the program.
@Suite struct PageTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/diagnostics").standardized

    /// What no text of a configuration can show: a file that cannot be read, and sources that do not answer.
    private static let beyondText: Set<DiagnosticCode> = [.unreadable, .cannotConnect, .connectionRefused]

    private static let environment = ConfigEnvironment(
        variable: { ["TOKEN": "s3cr3t", "GITHUB_TOKEN": ""][$0] },
        file: { $0 == "token.txt" ? .success("s3cr3t\n") : .failure(ConfigEnvironment.FileProblem("no such file")) })

    private static func codes(in text: String) -> Set<DiagnosticCode> {
        Set(Reading.report(text, plugins: Reading.plugins(for: text), environment: environment).diagnostics.map(\.code))
    }

    @Test(arguments: DiagnosticCode.allCases) func `the wrong example gives its code alone, the fixed one nothing`(_ code: DiagnosticCode) {
        let page = code.page

        #expect(page.code == code)
        #expect(page.wrong.text != page.right.text)
        guard page.wrong.language == "yaml" else { return }
        if code.isOfTests {
            #expect(ScenarioGoldenTests.suite(page.right.text).diagnostics.isEmpty && ScenarioGoldenTests.suite(page.right.text).isUsable)
            #expect(ScenarioGoldenTests.suite(page.wrong.text).diagnostics.map(\.code) == [code])
            return
        }
        #expect(Self.codes(in: page.right.text) == [])
        if !Self.beyondText.contains(code) { #expect(Self.codes(in: page.wrong.text) == [code]) }
    }

    @Test(arguments: DiagnosticCode.allCases.filter { !$0.isOfTests }) func `a fixed example that needs a variable or a file says so`(
        _ code: DiagnosticCode
    ) {
        guard code.page.right.language == "yaml" else { return }
        let text = code.page.right.text
        let problems = Reading.report(text, plugins: Reading.plugins(for: text), environment: ConfigEnvironment([:])).diagnostics

        #expect(problems.isEmpty != code.page.meaning.contains("The fixed example needs"), "\(problems)")
    }

    @Test func `a missing file gives the code that its page shows`() {
        let report = ConfigFile(path: "/nonexistent/no-such-file.yaml").report(plugins: Reading.plugins)

        #expect(DiagnosticCode.unreadable.page.wrong.text.contains("no-such-file.yaml"))
        #expect(report.diagnostics.map(\.code) == [.unreadable])
    }

    @Test(arguments: DiagnosticCode.allCases) func `a page is said in sentences below a title without a full stop`(_ code: DiagnosticCode) {
        let page = code.page

        #expect(page.text.hasPrefix("# \(code.rawValue): \(page.title)\n\nA"))
        #expect(!page.title.hasSuffix("."))
        #expect(page.meaning.hasSuffix("."))
        #expect(page.text.split(separator: "\n").allSatisfy { $0.count < 160 })
    }

    @Test(arguments: DiagnosticCode.allCases) func `a page says when its code is reported, and how to change that`(_ code: DiagnosticCode) {
        let severity = code.page.severity.replacing("\n", with: " ")
        let level = [.cannotConnect, .connectionRefused].contains(code) ? "connect" : code.level.rawValue

        let isError = code.severity == .error
        #expect(
            severity.hasPrefix(
                "\(isError ? "An error" : code.severity == .note ? "A note" : "A warning"), reported from `pipe-run validate --level \(level)` on"
            ))
        #expect(severity.contains("`--deny \(code.rawValue)` makes it an error") != isError)
        #expect(severity.contains("# pipe-run: allow \(code.rawValue) REASON") == (!isError && code != .needlessAllow))
    }

    @Test func `the program has the pages of the documents, and their list has all of them`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(Set(names) == Set(DiagnosticCode.allCases.map { "\($0.rawValue).md" } + ["README.md"]))
        let list = try String(contentsOf: Self.folder.appending(path: "README.md"), encoding: .utf8)
        for code in DiagnosticCode.allCases {
            let text = try String(contentsOf: Self.folder.appending(path: "\(code.rawValue).md"), encoding: .utf8)
            #expect(code.page.text == text, "run scripts/embed-pages")
            #expect(
                list.contains("\n| [\(code.rawValue)](\(code.rawValue).md) | \(code.severity.rawValue) | \(code.page.title) |\n"),
                "run scripts/embed-pages")
        }
    }
}

import Foundation
import PipelineConfig
import PipeRunKit
import Pipeline
import PipelineYAML
import Testing

@testable import PipelineReports

/// Each code has a page, and what the page shows is so. `UPDATE_GOLDEN=1` rewrites `docs/diagnostics`.
@Suite struct PageTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/diagnostics").standardized

    /// What no text of a configuration can show: a file that cannot be read, and sources that do not answer.
    private static let beyondText: Set<DiagnosticCode> = [.unreadable, .cannotConnect, .connectionRefused]

    private static let environment = ConfigEnvironment(
        variable: { ["TOKEN": "s3cr3t", "GITHUB_TOKEN": ""][$0] },
        file: { $0 == "token.txt" ? .success("s3cr3t\n") : .failure(ConfigEnvironment.FileProblem("no such file")) })

    private static func codes(in text: String) -> Set<DiagnosticCode> {
        Set(Reading.report(text, environment: environment).diagnostics.map(\.code))
    }

    @Test(arguments: DiagnosticCode.allCases) func `the wrong example gives its code alone, the mended one nothing`(_ code: DiagnosticCode)
    {
        let page = code.page

        #expect(page.code == code)
        #expect(page.wrong.text != page.right.text)
        guard page.wrong.language == .yaml else { return }
        #expect(Self.codes(in: page.right.text) == [])
        if !Self.beyondText.contains(code) { #expect(Self.codes(in: page.wrong.text) == [code]) }
    }

    @Test(arguments: DiagnosticCode.allCases) func `a mended example that wants a variable or a file says so`(_ code: DiagnosticCode) {
        guard code.page.right.language == .yaml else { return }
        let problems = Reading.report(code.page.right.text, environment: ConfigEnvironment([:])).diagnostics

        #expect(problems.isEmpty != code.page.meaning.contains("The mended example needs"), "\(problems)")
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

    @Test func `the documents are what the pages say`() throws {
        var expected = Dictionary(uniqueKeysWithValues: DiagnosticCode.allCases.map { ("\($0.rawValue).md", $0.page.text) })
        expected["README.md"] = DiagnosticPage.index

        if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
            try? FileManager.default.removeItem(at: Self.folder)
            try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
            for (name, text) in expected {
                try text.write(to: Self.folder.appending(path: name), atomically: true, encoding: .utf8)
            }
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(Set(names) == Set(expected.keys))
        for (name, text) in expected {
            #expect(try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8) == text, "\(name)")
        }
    }
}

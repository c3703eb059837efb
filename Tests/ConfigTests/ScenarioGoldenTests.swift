import Foundation
import PipelineConfig
import PipelineScenarios
import PipelineYAML
import TestSupport
import Testing

@testable import PipelineReports

/// `Golden/Scenarios/P601-unknown-names.test.yaml` and, next to it, what `validate` prints of it, tested against `examples/friends`.
/// `UPDATE_GOLDEN=1` rewrites the `.out` files.
@Suite struct ScenarioGoldenTests {
    static let folder = GoldenTests.folder.appending(path: "Scenarios")

    static let names: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.filter { $0.hasSuffix(".test.yaml") }.map { String($0.dropLast(10)) }.sorted()
    }()

    /// The configuration that the texts are tests of.
    static let config = Document.root.appending(path: "examples/friends/pipeline.yaml").path

    /// The tests `text`, as for a program.
    static func suite(_ text: String) -> ScenarioSuite {
        let file = ConfigFile(text: Array(text.utf8), name: "pipeline.test.yaml")
        return ScenarioSuite(file, config: config, plugins: Reading.plugins, isForCI: true)
    }

    private static func suite(of name: String) throws -> ScenarioSuite {
        suite(try String(contentsOf: folder.appending(path: name + ".test.yaml"), encoding: .utf8))
    }

    @Test(arguments: names) func `a test file gives what its golden file says`(_ name: String) throws {
        let output = Self.folder.appending(path: name + ".out")

        let printed = try Self.suite(of: name).problems(hasColour: false).map(\.text).joined(separator: "\n")

        if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
            try printed.write(to: output, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: output, encoding: .utf8) == printed)
    }

    @Test(arguments: names) func `every problem has its code and help, and keeps the tests from running`(_ name: String) throws {
        let suite = try Self.suite(of: name)

        #expect(suite.diagnostics.contains { $0.code.rawValue == name.prefix(4) })
        #expect(!suite.isUsable)
        for diagnostic in suite.diagnostics { #expect(diagnostic.help?.isEmpty == false, "\(diagnostic)") }
    }

    @Test(arguments: DiagnosticCode.allCases.filter(\.isOfTests)) func `every code of tests has a golden pair`(_ code: DiagnosticCode) {
        #expect(Self.names.contains { $0.hasPrefix(code.rawValue + "-") })
    }
}

extension DiagnosticCode {
    /// Whether it is reported of test files alone.
    var isOfTests: Bool { rawValue.hasPrefix("P6") }
}

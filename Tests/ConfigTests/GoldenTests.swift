import Foundation
import Pipeline
import PipelineConfig
import PipelineYAML
import Testing

@testable import PipeRunKit
@testable import PipelineReports

/// `Golden/P201-undefined-source.yaml` and, next to it, what `validate` prints of it. `UPDATE_GOLDEN=1` rewrites the `.out` files.
@Suite struct GoldenTests {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")

    static let names: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted()
    }()

    /// The file, and what is found in it; where its code asks for it, by looking for its sources, too.
    static func read(_ name: String) async throws -> (file: ConfigFile, report: ConfigReport, diagnostics: [Diagnostic]) {
        let bytes = try Data(contentsOf: folder.appending(path: name + ".yaml"))
        let file = ConfigFile(text: Array(bytes), name: "conf/\(name).yaml", folder: "conf")
        let plugins = Reading.plugins(for: String(decoding: bytes, as: UTF8.self))
        guard name.hasPrefix("P5") else {
            let report = file.report(plugins: plugins, environment: Reading.environment)
            return (file, report, report.diagnostics)
        }
        let locked = SourcePlugin.checked { _ in throw SourceError("status 401 from https://api.example.org/friends", kind: .refused) }
        let report = file.report(plugins: plugins + [locked], environment: Reading.environment, level: .connect)
        return (file, report, report.diagnostics + (await report.checkSources().compactMap(\.diagnostic)))
    }

    static func printed(_ name: String) async throws -> String {
        let (file, report, diagnostics) = try await read(name)
        let printer = DiagnosticPrinter(lines: file.lines, secretRanges: report.secretRanges, hasColour: false)
        return diagnostics.map(printer.text).joined(separator: "\n")
    }

    @Test(arguments: names) func `a configuration gives what its golden file says`(_ name: String) async throws {
        let output = Self.folder.appending(path: name + ".out")

        let printed = try await Self.printed(name)

        if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
            try printed.write(to: output, atomically: true, encoding: .utf8)
        }
        let expected = try String(contentsOf: output, encoding: .utf8)
        #expect(printed == expected)
    }

    @Test(arguments: names) func `a golden file shows nothing but its own problem`(_ name: String) async throws {
        let codes = Set(try await Self.read(name).diagnostics.map(\.code.rawValue))

        #expect(codes == [String(name.prefix(4))])
    }

    /// What only a source can say that is really asked.
    private static let connectCodes: [DiagnosticCode] = [.cannotConnect, .connectionRefused]

    @Test(arguments: DiagnosticCode.allCases.filter { !connectCodes.contains($0) && !$0.isOfTests })
    func `every code has a golden pair`(_ code: DiagnosticCode) {
        // A folder that is missing and a text that is not UTF-8 have tests of their own; files cannot be either.
        #expect(Self.names.contains { $0.hasPrefix(code.rawValue + "-") })
    }

    @Test func `every output belongs to a configuration`() throws {
        let outputs = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter { $0.hasSuffix(".out") }

        #expect(Set(outputs.map { String($0.dropLast(4)) }) == Set(Self.names))
    }

    @Test(arguments: names) func `messages are lower case and have no full stop`(_ name: String) async throws {
        let diagnostics = try await Self.read(name).diagnostics

        for diagnostic in diagnostics {
            for words in [diagnostic.message] + diagnostic.related.map(\.message) {
                #expect(!words.hasSuffix("."))
                #expect(words.first.map { !$0.isUppercase } == true)
            }
            #expect(diagnostic.help?.hasSuffix(".") != true)
            #expect(diagnostic.message.count < 300)
        }
    }
}

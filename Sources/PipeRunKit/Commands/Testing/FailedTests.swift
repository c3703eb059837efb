private import Foundation
internal import PipelineConfig
private import PipelineJSON
internal import PipelineScenarios
internal import PipelineYAML

/// The tests that failed when they last ran, of all files: kept for `--failed`, below `$XDG_STATE_HOME`.
struct FailedTests {
    private var lines: [String]
    private let path: String?

    /// Reads what is kept; none if nothing is, or if nothing can be. Where nothing is, or nothing can be, there are none.
    init() {
        let home = ConfigEnvironment.process.variable("HOME").map { $0 + "/.local/state" }
        let state = ConfigEnvironment.process.variable("XDG_STATE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home
        path = state.map { $0 + "/pipe-run/failed-tests" }
        let text = path.flatMap { try? String(contentsOfFile: $0, encoding: .utf8) } ?? ""
        lines = text.split(separator: "\n").map(String.init)
    }

    var isEmpty: Bool { lines.isEmpty }

    /// Indicates whether the run of this title in `file` failed.
    func contains(_ title: String, of file: String) -> Bool { lines.contains(Self.line(title, of: file)) }

    /// Keeps those of `tested` that failed, and forgets those that passed. Nothing is written where nothing changes.
    mutating func note(_ tested: [TestedSuite]) {
        let former = lines
        for suite in tested {
            let failed = Set(suite.outcomes.filter { !$0.hasPassed }.map(\.title))
            let ran = Set(suite.outcomes.map(\.title))
            let gone = Set(ran.map { Self.line($0, of: suite.suite.file.name) })
            lines.removeAll(where: gone.contains)
            lines += failed.sorted().map { Self.line($0, of: suite.suite.file.name) }
        }
        lines.sort()
        guard lines != former.sorted(), let path else { return }
        let url = URL(filePath: path)
        // What cannot be kept is no failure of the tests.
        try? FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try? Data(lines.map { $0 + "\n" }.joined().utf8).write(to: url, options: .atomic)
    }

    private static func line(_ title: String, of file: String) -> String {
        let path = URL(filePath: file).standardizedFileURL.path
        return JSONText.array([.string(path), .string(title)]).text
    }
}

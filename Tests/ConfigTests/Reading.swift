import Foundation
import Pipeline
import PipelineConfig
import PipelineYAML
import SourcesCommand
import SourcesFile
import SourcesHTTP
import SourcesInline
import SourcesMemory
import SourcesPoll
import SourcesRedis
import SourcesSQLite
import SourcesSSE
import SourcesWatch
import SourcesWebSocket

@testable import PipeRunKit
@testable import PipelineReports

/// How these tests read configurations: the built-in plugins, and an environment that is the same everywhere.
enum Reading {
    static let plugins: [SourcePlugin] = [.memory, .file, .http, .sqlite]
    /// All built-in plugins.
    static let allPlugins = plugins + [.sqliteQuery, .redis, .inline, .command, .websocket, .sse, .poll, .watch, .outbox]

    /// With change sources and outboxes where `text` may name some; the lists of types that other messages show stay short.
    static func plugins(for text: String) -> [SourcePlugin] {
        let hasChanges = ["type: websocket", "type: sse", "type: poll", "live:"].contains { text.contains($0) }
        return plugins + (hasChanges ? LiveStandIns.all : []) + (text.contains("type: outbox") ? [.outbox] : [])
    }

    static let variables = [
        "API": "http://127.0.0.1:8787", "EMPTY": "", "TOKEN": "s3cr3t-token-value", "LONG_TOKEN": String(repeating: "k3y-", count: 40),
        "PASSWORD": "p@ss/w?rd#1", "TTL": "10m", "BAD_TTL": "soon", "BRACES": "{user}", "INJECTED": "x\nttl: 1s\nbad: *a", "COLON": "a: b",
        "SOURCE": "memory", "BAD_URL": "hunter2-secret", "EMPTY_TOKEN": "",
    ]

    static let files = [
        "conf/token.txt": "file-t0ken\n", "token.txt": "file-t0ken\r\n", "lines.txt": "one\ntwo\n", "/abs/token.txt": "abs-t0ken",
        "conf/empty.txt": "", "conf/mark.txt": "\u{FEFF}t0ken\r\n", "conf/mark-alone.txt": "\u{FEFF}\n",
        "conf/marks.txt": "\u{FEFF}t0\u{FEFF}ken",
    ]

    static let environment = ConfigEnvironment(
        variable: { variables[$0] },
        file: { path in
            path == "conf/folder"
                ? .failure(ConfigEnvironment.FileProblem("it is a folder"))
                : files[path].map { .success($0) } ?? .failure(ConfigEnvironment.FileProblem("no such file"))
        },
        problem: { files[$0] == nil ? ConfigEnvironment.FileProblem("no such file") : nil })

    static func file(_ text: String, name: String = "pipeline.yaml", folder: String = "") -> ConfigFile {
        ConfigFile(text: Array(text.utf8), name: name, folder: folder)
    }

    static func report(
        _ text: String, level: ValidationLevel = .env, folder: String = "", plugins: [SourcePlugin] = plugins,
        environment: ConfigEnvironment = environment, limits: ConfigLimits = ConfigLimits()
    ) -> ConfigReport {
        file(text, folder: folder).report(plugins: plugins, environment: environment, level: level, limits: limits)
    }

    static func report(bytes: [UInt8], limits: ConfigLimits = ConfigLimits()) -> ConfigReport {
        ConfigFile(text: bytes, name: "pipeline.yaml").report(plugins: plugins, environment: environment, limits: limits)
    }

    /// What `pipe-run validate` prints of `file`, without colour.
    static func printed(_ file: ConfigFile, level: ValidationLevel = .env) -> String {
        let report = file.report(plugins: plugins, environment: environment, level: level)
        let printer = DiagnosticPrinter(lines: file.lines, secretRanges: report.secretRanges, hasColour: false)
        return report.diagnostics.map(printer.text).joined(separator: "\n")
    }

    static func printed(_ text: String) -> String { printed(file(text)) }
}

extension ConfigReport {
    /// `P201 undefined source …`, one a diagnostic.
    ///
    /// P322 is left out, here and in the codes: most files of these tests care for no times, and `EndlessCopyTests` does.
    var summary: [String] { diagnostics.filter { $0.code != .endlessCopy }.map { "\($0.code.rawValue) \($0.message)" } }
    var codes: [String] { diagnostics.map(\.code).filter { $0 != .endlessCopy }.map(\.rawValue) }
}

extension FixedFile.Findings {
    /// As of a report.
    var codes: [String] { diagnostics.map(\.code).filter { $0 != .endlessCopy }.map(\.rawValue) }
}

import Foundation
import Pipeline
import PipelineConfig
import SourcesCommand

/// A folder of its own for the scripts of one test, gone with this object.
final class ScriptFolder: Sendable {
    let path: String

    init() throws {
        // What the system calls it, so that a script that prints its folder prints the same.
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pipe-run-tests-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.resolvingSymlinksInPath().path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func put(_ text: String, into name: String, isExecutable: Bool = false) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path + "/" + name))
        try FileManager.default.setAttributes([.posixPermissions: isExecutable ? 0o755 : 0o644], ofItemAtPath: path + "/" + name)
    }

    func text(of name: String) -> String? {
        FileManager.default.contents(atPath: path + "/" + name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// A source that runs `script` with `arguments` in this folder.
    func source(
        _ script: String, _ arguments: [String] = [], timeout: Duration = .seconds(60), maxSize: Size = .mebibytes(64),
        allowsLeadingDash: Bool = false, concurrency: Int = 16, clock: PipelineClock = .system
    ) throws -> CommandSource {
        try put(script, into: "script.sh")
        let command = CommandTemplate("/bin/sh", ["script.sh"].map { TextTemplate($0) } + arguments.map { TextTemplate($0) }, folder: path)
        return CommandSource(
            command, timeout: timeout, maxSize: maxSize, allowsLeadingDash: allowsLeadingDash, concurrency: concurrency, clock: clock)
    }
}

extension CommandSource: TestedOrigin {}

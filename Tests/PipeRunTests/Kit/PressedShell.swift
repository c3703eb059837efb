#if os(Linux)
import Foundation

/// A real shell at a terminal, with the script that `pipe-run completions` prints, in which keys are pressed.
final class PressedShell: @unchecked Sendable {  // `Process` is set up before it runs, and only asked afterwards.
    enum Kind: String, Sendable {
        case zsh
        case fish

        private var path: String? {
            ["/usr/bin", "/bin", "/usr/local/bin"].map { "\($0)/\(rawValue)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
        }

        var isInstalled: Bool { path != nil }

        fileprivate var command: [String] {
            switch self {
            case .zsh: [path ?? rawValue, "--no-global-rcs", "--interactive"]
            case .fish: [path ?? rawValue, "--no-config", "--interactive", "--init-command", "source start"]
            }
        }

        /// What it reads before the first prompt. The key shows what is typed.
        fileprivate var start: (file: String, text: String) {
            switch self {
            case .zsh:
                (
                    ".zshrc",
                    """
                    autoload -Uz compinit && compinit -u -D
                    source script
                    PROMPT='READY>'
                    show() { print -rn -- "<<$BUFFER>>" }
                    zle -N show && bindkey '^O' show
                    """
                )
            case .fish:
                (
                    "start",
                    """
                    source script
                    function fish_prompt; printf 'READY>'; end
                    bind \\co 'printf "<<%s>>" (commandline -b)'
                    """
                )
            }
        }
    }

    private let process = Process()
    private let terminal: Terminal
    private let output: Collected

    /// The lines as they stand after the tabulator key was pressed at the end of each of `lines`.
    static func lines(_ lines: [String], completedBy kind: Kind, in folder: WorkFolder) async throws -> [String] {
        try folder.write("script", try await folder.run("completions", kind.rawValue).output)
        try folder.write(kind.start.file, kind.start.text)
        let shell = try PressedShell(kind, in: folder)
        return try await blocking {
            defer { shell.end() }
            return try shell.completed(lines)
        }
    }

    /// What fish offers for `line` when a script asks it, and what it complains of.
    static func words(completing line: String, in folder: WorkFolder) async throws -> (words: [String], errors: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["fish", "--no-config", "-c", "source script; complete -C '\(line)'"]
        process.currentDirectoryURL = folder.url
        process.environment = ProcessInfo.processInfo.environment.merging([
            "PATH": Executable.url.deletingLastPathComponent().path + ":/usr/local/bin:/usr/bin:/bin", "HOME": folder.url.path,
        ]) { $1 }
        let (output, errors) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput, process.standardError) = (FileHandle.nullDevice, output, errors)
        try process.run()
        return try await blocking {
            defer { process.waitUntilExit() }
            let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            let complaints = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            return (text.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }, complaints)
        }
    }

    private init(_ kind: Kind, in folder: WorkFolder) throws {
        terminal = try Terminal()
        // Of its own session the terminal is the one that keys come from.
        process.executableURL = URL(filePath: "/usr/bin/setsid")
        process.arguments = ["--ctty", "--wait"] + kind.command
        process.currentDirectoryURL = folder.url
        process.environment = ProcessInfo.processInfo.environment.merging([
            "PATH": Executable.url.deletingLastPathComponent().path + ":/usr/local/bin:/usr/bin:/bin", "HOME": folder.url.path,
            "ZDOTDIR": folder.url.path, "TERM": "dumb",
        ]) { $1 }
        (process.standardInput, process.standardOutput, process.standardError) = (terminal.inner, terminal.inner, terminal.inner)
        output = Collected(terminal.outer)
        try process.run()
        try terminal.inner.close()
    }

    private func completed(_ lines: [String]) throws -> [String] {
        try output.first { $0.contains("READY>") ? () : nil }
        return try lines.enumerated().map { number, line in
            press(line + "\t\u{0F}")
            let shown = try output.first { text in
                let found = text.matches(of: /<<([^>]*)>>/)
                return found.count > number ? String(found[number].1) : nil
            }
            press("\u{15}")
            return shown
        }
    }

    private func press(_ keys: String) {
        let bytes = Array(keys.utf8)
        _ = write(terminal.outer, bytes, bytes.count)
    }

    private func end() {
        press("exit\r")
        process.waitUntilExit()
    }
}
#endif

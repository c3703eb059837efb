import Foundation

/// What a real bash offers, with the script that `pipe-run completions bash` prints.
struct BashCompletion {
    /// What came of one key.
    struct Offer {
        let words: [String]
        /// What the script asked of the completion: `-o nospace`.
        let options: String
        let errors: String
    }

    private let folder: WorkFolder

    /// Completions in `folder`.
    init(in folder: WorkFolder) async throws {
        self.folder = folder
        try folder.write("script.bash", try await folder.run("completions", "bash").output)
        try folder.write("press.bash", Self.press)
    }

    /// What the tabulator key offers for the last of `words`, which are as bash cuts them.
    func offered(_ words: String...) async throws -> Offer { try await offered(words) }

    /// The same, with another home.
    func offered(_ words: [String], home: String = "/nowhere") async throws -> Offer {
        let process = Process()
        let (output, errors) = (Pipe(), Pipe())
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["--norc", "--noprofile", "press.bash", Executable.url.path] + words
        process.currentDirectoryURL = folder.url
        process.environment = ProcessInfo.processInfo.environment.merging(["HOME": home]) { $1 }
        process.standardInput = FileHandle.nullDevice
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        let ran = try await blocking {
            let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            let said = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            process.waitUntilExit()
            return (text: text, errors: said)
        }
        let lines = ran.text.split(separator: "\n")
        func marked(_ mark: String) -> [String] { lines.filter { $0.hasPrefix(mark) }.map { String($0.dropFirst(mark.count)) } }
        return Offer(words: marked("reply "), options: marked("compopt ").joined(separator: " "), errors: ran.errors)
    }

    /// Does what bash does when the key is pressed.
    private static let press = """
        source script.bash
        compopt() { printf 'compopt %s\\n' "$*"; }
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        COMP_LINE="$*"
        COMP_POINT=${#COMP_LINE}
        name=$(complete -p pipe-run)
        name=${name##*-F }
        word=${COMP_WORDS[COMP_CWORD]}
        "${name%% *}" pipe-run "${word#=}" "${COMP_WORDS[COMP_CWORD - 1]}"
        [ ${#COMPREPLY[@]} -eq 0 ] || printf 'reply %s\\n' "${COMPREPLY[@]}"
        """
}

import Foundation
import TestSupport

/// A shell in a folder as docs/README.md describes it: the files of `examples/friends`, those of the page, and an API.
struct ShownSession {
    struct Output {
        let status: Int
        let text: String
    }

    private let folder: WorkFolder
    /// The ports that stand in the documents, and those that are free here.
    private let ports: [(shown: String, real: String)]

    /// Runs `body` with a shell for the commands of `page`.
    static func run(_ page: Document, _ body: (ShownSession) async throws -> Void) async throws {
        let origin = try WorkFolder()
        let folder = try WorkFolder()
        let examples = Document.root.appending(path: "examples/friends")
        for name in ["origin.yaml", "friends.json"] {
            try origin.write(name, try String(contentsOf: examples.appending(path: name), encoding: .utf8))
        }
        let port = try freePort()
        try await origin.serving("origin.yaml") { api in
            let session = ShownSession(folder: folder, ports: [("8787", "\(api.port)"), ("8080", "\(port)")])
            for name in try FileManager.default.contentsOfDirectory(atPath: examples.path) where !name.hasSuffix(".md") {
                let bytes = Array(try Data(contentsOf: examples.appending(path: name)))
                // A trace is compressed.
                try folder.write(name, String(validating: bytes, as: UTF8.self).map { Array(session.real($0).utf8) } ?? bytes)
            }
            for block in page.blocks {
                if let name = block.name { try folder.write(name, session.real(block.text + "\n")) }
            }
            try await body(session)
        }
    }

    /// A port that was free a moment ago.
    private static func freePort() throws -> Int {
        try Socket.listening().1
    }

    /// What each command prints, on both outputs. The commands run in one shell, which ends what they leave in the background.
    func outputs(of commands: [ShownCommand]) async throws -> [Output] {
        let prelude = """
            exec 2>&1
            trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT
            curl() {  # waits until the server that was started listens
                for _ in $(seq 400); do (exec 3<>/dev/tcp/127.0.0.1/\(ports[1].real)) 2>/dev/null && break; sleep 0.05; done
                command curl "$@"
            }
            """
        let script = commands.map { "\(real($0.line))\n__status=$?; printf '\\n\\036%s\\n' $__status; (exit $__status)\n" }.joined()
        let printed = try await Tool.output(
            of: "/usr/bin/env", ["timeout", "120", "bash", "-c", "\(prelude)\n\(script)\ntrue"], in: folder.url,
            environment: [
                "PATH": "\(Executable.url.deletingLastPathComponent().path):\(ProcessInfo.processInfo.environment["PATH"] ?? "")",
                "NO_COLOR": "1", "XDG_STATE_HOME": folder.url.path + "/state",
            ])
        var outputs: [Output] = []
        var rest = printed[...]
        while let end = rest.firstMatch(of: /\n\x1E([0-9]+)\n/) {
            outputs.append(Output(status: Int(end.1) ?? -1, text: shown(String(rest[..<end.range.lowerBound]))))
            rest = rest[end.range.upperBound...]
        }
        return outputs
    }

    private func real(_ text: String) -> String {
        ports.reduce(text) { $0.replacing($1.shown, with: $1.real) }
    }

    private func shown(_ text: String) -> String {
        ports.reduce(text) { $0.replacing($1.real, with: $1.shown) }
    }

    /// Whether `sample` is `output`, with any times and widths of columns, and a line `…` in place of any number of lines.
    static func isShown(_ sample: String, _ output: String) -> Bool {
        var rest = lines(output)[...]
        var isOpen = false
        for line in lines(sample) {
            if line == "…" {
                isOpen = true
            } else if let found = isOpen ? rest.firstIndex(of: line) : (rest.first == line ? rest.startIndex : nil) {
                rest = rest[(found + 1)...]
                isOpen = false
            } else {
                return false
            }
        }
        return isOpen || rest.isEmpty
    }

    /// The lines of a text with its times masked, without empty ones at the ends.
    private static func lines(_ text: String) -> [String] {
        text.replacing("\r\n", with: "\n").trimmingCharacters(in: .newlines)
            .replacing(/(age|fresh for|for) [0-9][0-9.a-zµ]*/) { "\($0.1) …" }
            .replacing(/[0-9.]+ ?(ms|µs)\b/, with: "…ms")
            .replacing(/"(ms|age_ms|fresh_for_ms)":[0-9.e-]+/) { "\"\($0.1)\":…" }
            .replacing(/(?i)(?m)^(age|date|etag): .*$/) { "\($0.1): …" }
            .replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z/, with: "…")
            .replacing(/(\S) {2,}/) { "\($0.1) " }
            .components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) == "…" ? "…" : $0.replacing(/\s+$/, with: "") }
    }
}

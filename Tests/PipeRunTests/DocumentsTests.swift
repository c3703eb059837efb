import Foundation
import Testing

extension CommandLineTests {
    /// The documents that the program writes itself, or whose samples are its output. `UPDATE_GOLDEN=1` rewrites those that it writes.
    @Suite struct DocumentsTests {
        private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

        private static func text(_ path: String) throws -> String {
            try String(contentsOf: root.appending(path: path), encoding: .utf8)
        }

        private static func check(_ path: String, is text: String) throws {
            if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
                try text.write(to: root.appending(path: path), atomically: true, encoding: .utf8)
            }
            #expect(try Self.text(path) == text, "UPDATE_GOLDEN=1 rewrites \(path)")
        }

        @Test func `the reference of the file is what the program prints`() async throws {
            let ran = try await WorkFolder().run("schema", "--format", "markdown")

            #expect(ran.status == 0)
            try Self.check("docs/file.md", is: ran.text)
        }

        @Test(.enabled(if: Tool.python != nil, "needs python3")) func `the manual page is what the script makes of the program's help`()
            async throws
        {
            let page = try await Tool.output(of: Tool.python, ["scripts/manual", Executable.url.path], in: Self.root)

            #expect(page.contains(".SS pipe\\-run fetch") && !page.contains("fetch\\-in\\-background"))
            try Self.check("docs/pipe-run.1", is: page)
        }

        @Test(.enabled(if: Tool.groff != nil, "needs groff")) func `the manual page is well-formed`() async throws {
            let shown = try await Tool.output(
                of: Tool.groff, ["-man", "-Tutf8", "-ww", "docs/pipe-run.1"], in: Self.root, failsOnErrors: true)

            #expect(shown.contains("pipeline.yaml"))
        }

        @Test func `installs the program, its page and the completions`() async throws {
            let folder = try WorkFolder()
            let place = folder.url.appending(path: "usr").path

            for _ in 0..<2 {
                _ = try await Tool.output(
                    of: "/bin/bash", ["scripts/install", place], in: Self.root, environment: ["PIPE_RUN": Executable.url.path])
            }

            #expect(
                folder.files(below: "usr").filter { $0.contains(".") || $0.hasSuffix("pipe-run") } == [
                    "bin/pipe-run", "share/bash-completion/completions/pipe-run", "share/fish/vendor_completions.d",
                    "share/fish/vendor_completions.d/pipe-run.fish", "share/man/man1/pipe-run.1", "share/zsh/site-functions/_pipe-run",
                ])
            #expect(FileManager.default.isExecutableFile(atPath: place + "/bin/pipe-run"))
            #expect(folder.read("usr/share/bash-completion/completions/pipe-run")?.contains("complete -o filenames") == true)
        }

        @Test(arguments: ["docs/explain.md", "docs/graph.md"]) func `samples are what the program prints today`(page: String) async throws {
            let text = try Self.text(page)
            let folder = try WorkFolder(try Self.text("examples/friends/pipeline.yaml"))
            for block in text.matches(of: /(?s)```yaml\n# ([a-z-]+\.yaml)\n(.*?)```/) { try folder.write(String(block.1), String(block.2)) }
            let samples = text.matches(of: /(?s)```\n\$ pipe-run ([^\n]*)\n(.*?)```/)

            #expect(!samples.isEmpty)
            for sample in samples {
                let ran = try await folder.start(sample.1.split(separator: " ").map(String.init)).ran()
                #expect(ran.status == 0)
                #expect(Self.shows(sample.2, ran.text), "pipe-run \(sample.1) prints\n\(ran.everything)")
            }
        }

        /// Whether a sample is the output, a line `…` in place of any number of lines.
        private static func shows(_ sample: Substring, _ output: String) -> Bool {
            let parts = ("\n" + sample).components(separatedBy: "\n…\n")
            var rest = "\n" + output
            for (number, part) in parts.enumerated() {
                let part = number < parts.count - 1 ? part + "\n" : part
                guard !part.isEmpty, part != "\n" else { continue }
                guard let range = rest.range(of: number == 0 ? part : "\n" + part), number > 0 || range.lowerBound == rest.startIndex else {
                    return false
                }
                rest = "\n" + rest[range.upperBound...]
            }
            return parts.last?.isEmpty == true || rest == "\n"
        }
    }
}

/// Programs that look at documents, where they are installed.
private enum Tool {
    static let python = path("python3")
    static let groff = path("groff")

    private static func path(_ name: String) -> String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// What a program prints.
    static func output(
        of program: String?, _ arguments: [String], in folder: URL, environment: [String: String] = [:], failsOnErrors: Bool = false
    ) async throws -> String {
        try await blocking {
            let process = Process()
            process.executableURL = program.map { URL(filePath: $0) }
            process.arguments = arguments
            process.currentDirectoryURL = folder
            process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
            let (output, errors) = (Pipe(), Pipe())
            (process.standardOutput, process.standardError) = (output, errors)
            try process.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            guard process.terminationStatus == 0, !failsOnErrors || said.isEmpty else {
                throw TooLong(description: "\(arguments): \(said)")
            }
            return text
        }
    }
}

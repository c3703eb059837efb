import Foundation
import Testing

extension CommandLineTests {
    /// The documents that the program writes itself. `UPDATE_GOLDEN=1` rewrites them.
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
    }
}

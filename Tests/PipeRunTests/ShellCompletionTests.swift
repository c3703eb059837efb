#if os(Linux)
import Testing

extension ComputingTests {
    /// The tabulator key in the shells besides bash, where they are installed.
    @Suite struct ShellCompletionTests {
        private static let lines = [
            ("pipe-run sch", "pipe-run schema "),
            ("pipe-run fetch fr", "pipe-run fetch friends "),
            ("pipe-run watch friends --output ch", "pipe-run watch friends --output changes "),
            ("pipe-run explain pe", "pipe-run explain people "),
            ("pipe-run explain-code P9", "pipe-run explain-code P901 "),
            ("pipe-run fetch friends us", "pipe-run fetch friends user="),
            ("pipe-run fetch friends user=4 p", "pipe-run fetch friends user=4 page="),
            ("pipe-run fetch friends --order memory,d", "pipe-run fetch friends --order memory,disk "),
            ("pipe-run fetch --policy cac", "pipe-run fetch --policy cache-only "),
            ("pipe-run fetch -c other.yaml ot", "pipe-run fetch -c other.yaml others "),
            ("pipe-run fetch -c missing.yaml fr", "pipe-run fetch -c missing.yaml fr"),
            ("pipe-run clear owned", "pipe-run clear owned"),
            ("pipe-run help tiers.ret", "pipe-run help tiers.retry "),
            ("pipe-run simulate people --down ap", "pipe-run simulate people --down api@"),
            ("pipe-run simulate people --vary stale_if", "pipe-run simulate people --vary stale_if_error="),
        ]

        private static func folder() throws -> WorkFolder {
            let folder = try WorkFolder(CommandLineTests.CompletionTests.config + "\n  owned$(touch owned): { tiers: [memory] }\n")
            try folder.write("other.yaml", CommandLineTests.CompletionTests.config.replacing("friends:", with: "others:"))
            return folder
        }

        private static func check(_ kind: PressedShell.Kind) async throws {
            let folder = try folder()

            let completed = try await PressedShell.lines(lines.map(\.0), completedBy: kind, in: folder)

            #expect(completed == lines.map(\.1))
            #expect(!folder.files(below: ".").contains("owned"))
        }

        @Test(.enabled(if: PressedShell.Kind.zsh.isInstalled, "zsh is not installed: scripts/setup --shells does it"))
        func `zsh completes commands, words, and what the file says`() async throws {
            try await Self.check(.zsh)
        }

        @Test(.enabled(if: PressedShell.Kind.fish.isInstalled, "fish is not installed: scripts/setup --shells does it"))
        func `fish completes commands, words, and what the file says`() async throws {
            try await Self.check(.fish)
        }

        /// As a script asks fish for completions: `complete -C`, without a prompt.
        @Test(
            .enabled(if: PressedShell.Kind.fish.isInstalled, "fish is not installed: scripts/setup --shells does it"),
            arguments: [
                ("pipe-run sch", "schema"), ("pipe-run fetch ", "friends"), ("pipe-run fetch fr", "friends"),
                ("pipe-run fetch friends us", "user="), ("pipe-run fetch friends --order memory,d", "memory,disk"),
                ("pipe-run fetch -c other.yaml ot", "others"),
            ])
        func `fish completes outside of a prompt, too`(line: String, word: String) async throws {
            let folder = try Self.folder()
            try folder.write("script", try await folder.run("completions", "fish").output)

            let (words, errors) = try await PressedShell.words(completing: line, in: folder)

            #expect(words.contains(word) && errors == "", "\(words) \(errors)")
        }
    }
}
#endif

import Foundation
import TestSupport
import Testing

extension CommandLineTests {
    /// Every command that the documents show, run as docs/README.md says.
    @Suite struct ShownCommandTests {
        @Test(arguments: Document.manual.filter { !ShownCommand.all(of: $0).isEmpty })
        func `every command prints what its page shows`(page: Document) async throws {
            let commands = ShownCommand.all(of: page)
            try await ShownSession.run(page) { session in
                let outputs = try await session.outputs(of: commands)

                #expect(outputs.count == commands.count, "the last one ended the shell: \(outputs.last?.text ?? "")")
                for (command, output) in zip(commands, outputs) {
                    if let shown = command.output {
                        #expect(ShownSession.isShown(shown, output.text), "\(command.place): \(command.line)\n\(output.text)")
                    } else {
                        #expect(output.status == 0, "\(command.place): \(command.line)\n\(output.text)")
                    }
                }
            }
        }

        @Test func `a sample is compared line by line, but for times and what is left out`() {
            #expect(ShownSession.isShown("a\n…\nd", "a\nb\nc\nd\n"))
            #expect(ShownSession.isShown("a  0.1 ms\nage 3ms, b", "a  12.5 ms\nage 1m3s, b\n"))
            #expect(!ShownSession.isShown("a\nb", "a\n"))
            #expect(!ShownSession.isShown("a", "a\nb\n"))
            #expect(!ShownSession.isShown("a\n…\nd", "a\nb\nc\n"))
            #expect(!ShownSession.isShown("ttl 30s", "ttl 10s\n"))
        }

        @Test(arguments: Document.manual) func `every command and option that is named exists`(page: Document) async throws {
            var helps: [String: String] = [:]
            for line in ShownCommand.named(in: page) {
                guard let name = line.firstMatch(of: /^pipe-run (?:-c \S+ )?([a-z][a-z-]*)/).map({ String($0.1) }) else { continue }
                if helps[name] == nil { helps[name] = try await WorkFolder().run(name, "--help").text }
                let help = helps[name] ?? ""
                #expect(name == "help" || help.contains("USAGE: pipe-run \(name)"), "\(page.path): no command \(name) in `\(line)`")
                for option in line.matches(of: /[ \[](--[a-z][a-z-]*)/).map({ String($0.1) }) {
                    #expect(help.contains("  \(option)") || help.contains(", \(option)"), "\(page.path): `\(line)` has no option \(option)")
                }
            }
        }

        @Test func `the page of the command line has every command with every option`() async throws {
            let page = try #require(Document("docs/cli.md"))
            let shown = try #require(page.blocks.first { $0.language == "text" }).text
            let help = try await WorkFolder().run("--help").text
            let listed = try #require(help.split(separator: "SUBCOMMANDS:").last)
            let names = listed.matches(of: #/(?m)^  ([a-z-]+) /#).map { String($0.1) }

            let usages = shown.components(separatedBy: "pipe-run ")

            #expect(names.count > 10)
            for name in names {
                let usage = try #require(usages.first { $0.hasPrefix(name + " ") }, "\(name)")
                let options = try await WorkFolder().run(name, "--help").text.matches(of: /(?m)^  (--[a-z-]+)/).map { String($0.1) }
                for option in options where !["--version", "--config"].contains(option) {
                    #expect(usage.contains(option), "\(name) \(option)")
                }
            }
        }
    }
}

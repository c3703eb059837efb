import Foundation
import Testing

extension CommandLineTests {
    @Suite struct GraphTests {
        @Test func `draws all pipelines, or one, or one in another order`() async throws {
            let folder = try WorkFolder(flatTiers)

            let all = try await folder.run("graph")
            let one = try await folder.run("graph", "friends")
            let turned = try await folder.run("graph", "friends", "--order", "flat,disk")

            #expect(all.status == 0 && all.text.contains("friends(user)") && all.text.contains("people(user = 1)"))
            #expect(
                one.text == """
                    friends(user)  json
                      1. memory       ttl 30s
                      ↓
                      2. disk (file)  ttl 10m
                      │    its answer is written to memory
                      ↓
                      3. flat (file)
                           its answer is written to memory, disk

                    """)
            #expect(turned.text.contains("1. flat (file)\n  │    its answer is written to disk"))
        }

        @Test func `works with unset variables`() async throws {
            let folder = try WorkFolder(threeTiers)

            for format in ["text", "mermaid"] {
                let ran = try await folder.run("graph", "--format", format)
                #expect(ran.status == 0 && ran.errors == "")
                #expect(ran.text.contains("api (http)"))
            }
        }

        @Test(arguments: [
            (["frends"], "did you mean `friends`?"), (["friends", "--order", "dsk"], "did you mean `disk`?"),
            (["--order", "disk"], "name of a pipeline"), (["friends", "--order", "disk,,flat"], "empty name"),
            (["friends", "--order", ""], "names no source"), (["--format", "png"], "text"),
        ])
        func `wrong usage ends with 64`(arguments: [String], words: String) async throws {
            let ran = try await WorkFolder(flatTiers).start(["graph"] + arguments).ran()

            #expect(ran.status == 64 && ran.text == "")
            #expect(ran.errors.contains(words), "\(ran.errors)")
        }

        static let hostile = #"""
            sources:
              'a"b': { type: file, path: flat, read_only: true }
              "c]d|e": { type: file, path: flat2, read_only: true }
              "<script>": { type: file, path: flat3, read_only: true }
              "end": { type: file, path: flat4, read_only: true }
            pipelines:
              'p"; click x "javascript:alert(1)"':
                description: "one\nsubgraph two"
                tiers: ['a"b', "c]d|e", "<script>", "end"]
            """#

        @Test func `hostile names stay text in Mermaid`() async throws {
            let folder = try WorkFolder(Self.hostile)
            let validated = try await folder.run("validate", "--level", "syntax")
            let ran = try await folder.run("graph", "--format", "mermaid")
            #expect(ran.status == 0)
            #expect(validated.status == 0)
            let lines = ran.text.split(separator: "\n").map(String.init)
            #expect(lines.first == "flowchart TD")
            for line in lines.dropFirst() {
                let isWellFormed =
                    line.wholeMatch(of: #/    subgraph p0\["[^"<>]*"\]/#) != nil || line == "    end"
                    || line.wholeMatch(of: #/        p0t\d+\[\(?"([^"<>]|<br/>)*"\)?\]/#) != nil
                    || line.wholeMatch(of: #/        p0t\d+ (-->\|no answer\||-\.->\|"[^"]*"\|) p0t\d+/#) != nil
                #expect(isWellFormed, "\(line)")
            }
        }

        @Test func `hostile names stay on their line in text`() async throws {
            let ran = try await WorkFolder(Self.hostile).run("graph")

            #expect(ran.status == 0)
            #expect(!ran.text.split(separator: "\n").contains { $0.hasPrefix("subgraph") })
        }
    }
}

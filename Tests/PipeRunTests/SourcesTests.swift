import Foundation
import Testing

extension CommandLineTests {
    @Suite struct SourcesTests {
        @Test func `lists the types, and needs no file`() async throws {
            let ran = try await WorkFolder().run("sources")

            #expect(ran.status == 0)
            #expect(
                ran.lines.map { $0.prefix { $0 != " " } } == [
                    "memory", "file", "http", "sqlite", "redis", "sqlite_query", "outbox", "inline", "command", "websocket", "sse", "poll",
                    "watch",
                ])
        }

        @Test func `shows the fields of a type`() async throws {
            let ran = try await WorkFolder().run("sources", "file")

            #expect(ran.status == 0)
            #expect(ran.text.hasPrefix("file: "))
            #expect(ran.text.contains("  path  path template, required\n"))
            #expect(ran.text.contains("  durable  bool, default false\n"))
        }

        @Test func `fields that stand in for each other are said`() async throws {
            let ran = try await WorkFolder().run("sources", "inline")

            #expect(ran.status == 0)
            #expect(ran.text.contains("\nneeds exactly one of `value`, `text`\n"))
            #expect(ran.text.contains("  value  any value\n"))
        }

        @Test func `shows the fields of a server, and masks no default`() async throws {
            let ran = try await WorkFolder().run("sources", "redis")

            #expect(ran.status == 0)
            #expect(ran.text.contains("  url  URL template, required\n"))
            #expect(ran.text.contains("  prefix  string, default pipe-run:\n"))
        }

        @Test func `an unknown type ends with 64 and the nearest name`() async throws {
            let ran = try await WorkFolder().run("sources", "fil")

            #expect(ran.status == 64 && ran.text == "")
            #expect(ran.errors.contains("unknown source type `fil`") && ran.errors.contains("did you mean `file`?"))
        }
    }
}

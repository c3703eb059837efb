import Foundation
import Testing

extension CommandLineTests {
    @Suite struct PutTests {
        @Test func `stores what stands on standard input in every cache`() async throws {
            let folder = try WorkFolder(flatTiers)

            let ran = try await folder.run("put", "friends", "user=1", input: Array("[7]\n".utf8))
            let fetched = try await folder.run("fetch", "friends", "user=1")

            #expect(ran.status == 0 && ran.errors == "")
            #expect(Set(ran.lines) == ["memory: written", "disk: written"])
            #expect(fetched.text == "[7]\n")
        }

        @Test func `a cache that cannot be written ends with 1, said once`() async throws {
            let folder = try WorkFolder(flatTiers)
            try folder.write(".cache", "in the way")

            let ran = try await folder.run("put", "friends", "user=1", input: Array("[7]".utf8))

            #expect(ran.status == 1)
            #expect(ran.everything.matches(of: /disk/).count == 1, "\(ran.everything)")
        }

        @Test func `what a cache is not to keep is skipped, with the reason, and the copy before it is gone`() async throws {
            let folder = try WorkFolder(
                """
                sources:
                  memory: { type: memory, max_entries: 0 }
                  disk: { type: file, path: .cache/disk.json, max_bytes: 10 }
                  db: { type: sqlite, path: .cache/cache.db, max_bytes: 10 }
                pipelines:
                  friends: { tiers: [memory, disk, db] }
                """)
            _ = try await folder.run("put", "friends", input: Array("[1]".utf8))

            let ran = try await folder.run("put", "friends", input: Array("[1, 2, 3, 4, 5]".utf8))
            let fetched = try await folder.run("fetch", "friends")

            #expect(ran.status == 0 && ran.errors == "")
            #expect(
                ran.lines == [
                    "memory: skipped (max_entries is 0)", "disk: skipped (larger than max_bytes (10))",
                    "db: skipped (larger than max_bytes (10))",
                ])
            #expect(fetched.status == 3)
        }

        @Test func `a value that a cache cannot take leaves none of its older copy to the next process`() async throws {
            let folder = try WorkFolder(
                """
                sources:
                  disk: { type: file, path: ".cache/{key}.json", max_size: 40 }
                pipelines:
                  friends: { tiers: [disk] }
                """)
            _ = try await folder.run("put", "friends", input: Array("\"old\"".utf8))

            let ran = try await folder.run("put", "friends", input: Array(String(repeating: "7", count: 80).utf8))
            let fetched = try await folder.run("fetch", "friends", "--policy", "cache-only")

            #expect(ran.status == 1 && ran.text.contains("80 bytes are more than max_size (40)"), "\(ran.everything)")
            #expect(fetched.status == 3 && fetched.text == "", "\(fetched.everything)")
        }

        @Test func `more than max_size is refused, however much there is`() async throws {
            let folder = try WorkFolder(
                """
                sources:
                  disk: { type: file, path: ".cache/{pipeline}" }
                pipelines:
                  small: { format: bytes, max_size: 1KB, tiers: [disk] }
                  large: { format: bytes, tiers: [disk] }
                """)

            let ran = try await folder.run("put", "small", input: [UInt8](repeating: 1, count: 1_001))
            #expect(ran.status == 1 && ran.text == "")
            #expect(ran.errors == "pipe-run: the payload is larger than max_size of the pipeline (1KB)\n")
            let fitting = try await folder.run("put", "small", input: [UInt8](repeating: 1, count: 1_000))
            #expect(fitting.status == 0, "\(fitting.errors)")

            let endless = try await folder.start(["put", "large"], under: ["sh", "-c", "exec \"$@\" < /dev/zero", "sh"]).ran()
            #expect(endless.status == 1 && endless.errors.contains("max_size of the pipeline (64MiB)"), "\(endless.errors)")
        }

        @Test func `a pipeline without caches and an empty payload end with 1`() async throws {
            let folder = try WorkFolder(
                """
                sources:
                  memory: { type: memory, max_entries: 10 }
                  flat: { type: file, path: flat.json, read_only: true }
                pipelines:
                  bare: { tiers: [flat] }
                  kept: { tiers: [memory, flat] }
                """)

            let bare = try await folder.run("put", "bare", input: Array("[1]".utf8))
            let empty = try await folder.run("put", "kept")

            #expect(bare.status == 1 && bare.errors == "pipe-run: nothing is stored: the pipeline has no caches to write to\n")
            #expect(empty.status == 1 && empty.errors == "pipe-run: the payload is empty: expected JSON\n", "\(empty.errors)")
        }

        @Test func `wrong usage ends with 64 and names this command`() async throws {
            let ran = try await WorkFolder(flatTiers).run("put", "friends", input: Array("[7]".utf8))

            #expect(ran.status == 64 && ran.errors.contains("`pipe-run put friends user=VALUE`"))
        }
    }
}

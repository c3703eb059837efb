import Foundation
import Testing

extension CommandLineTests {
    @Suite struct RemoveTests {
        static let shared = """
            sources:
              memory: { type: memory }
              disk: { type: file, path: ".cache/{key}.json" }
              flat: { type: file, path: "flat/{user}.json", read_only: true }
            pipelines:
              friends: { parameters: [user], tiers: [ { source: memory, ttl: 30s }, { source: disk, ttl: 10m }, flat ] }
              people: { parameters: [user], tiers: [ { source: disk, ttl: 10m }, flat ] }
              origins: { parameters: [user], tiers: [flat] }
            """

        private func filled() async throws -> WorkFolder {
            let folder = try WorkFolder(Self.shared)
            for user in ["1", "2"] {
                try folder.write("flat/\(user).json", "[\(user)]")
                for pipeline in ["friends", "people"] { _ = try await folder.run("fetch", pipeline, "user=\(user)") }
            }
            return folder
        }

        private func payloads(in folder: WorkFolder) -> [String] {
            folder.files(below: ".cache").filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }
        }

        @Test func `forgets one value in every cache`() async throws {
            let folder = try await filled()

            let ran = try await folder.run("remove", "friends", "user=1")
            let again = try await folder.run("remove", "friends", "user=1")

            #expect(ran.status == 0 && Set(ran.lines) == ["disk: removed", "memory: had no copy"])
            #expect(again.status == 0 && Set(again.lines) == ["disk: had no copy", "memory: had no copy"])
            #expect(payloads(in: folder) == ["friends,user=2.json", "people,user=1.json", "people,user=2.json"])
        }

        @Test func `clears only the keys of that pipeline`() async throws {
            let folder = try await filled()

            let ran = try await folder.run("clear", "friends")

            #expect(ran.status == 0 && Set(ran.lines) == ["disk: cleared", "memory: cleared"])
            #expect(payloads(in: folder) == ["people,user=1.json", "people,user=2.json"])
        }

        @Test func `files of other programs are counted in a note, and stay`() async throws {
            let folder = try WorkFolder(
                """
                sources:
                  disk: { type: file, path: "data/{user}.json" }
                  flat: { type: file, path: "flat/{user}.json", read_only: true }
                pipelines:
                  people: { parameters: [user], tiers: [ { source: disk, ttl: 10m }, flat ] }
                """)
            try folder.write("flat/1.json", "[1]")
            _ = try await folder.run("fetch", "people", "user=1")
            for name in ["package.json", ".eslintrc.json"] { try folder.write("data/\(name)", "{}") }

            let listed = try await folder.run("list", "people")
            let cleared = try await folder.run("clear", "people")

            let note =
                "pipe-run: note: 2 files of other programs stand beside the copies of `disk`; `list` and `clear` leave such files alone"
            #expect(listed.text.contains("disk: 1 copy\n") && listed.errors.contains(note), "\(listed.everything)")
            #expect(cleared.lines == ["disk: cleared"] && cleared.errors.contains(note), "\(cleared.everything)")
            #expect(folder.files(below: "data").filter { $0.hasSuffix(".json") }.sorted() == [".eslintrc.json", "package.json"])
        }

        @Test func `a cache that cannot be reached ends with 1, the others done`() async throws {
            let folder = try WorkFolder(Self.shared)
            try folder.write(".cache", "in the way")

            for command in [["remove", "friends", "user=1"], ["clear", "friends"]] {
                let ran = try await folder.start(command).ran()
                #expect(ran.status == 1, "\(ran.everything)")
                #expect(ran.text.contains(/(?m)^disk: failed: .+/), "\(ran.everything)")
                #expect(ran.text.contains(/(?m)^memory: (had no copy|cleared)$/))
            }
        }

        @Test func `a pipeline without caches has nothing to forget`() async throws {
            let ran = try await WorkFolder(Self.shared).run("clear", "origins")

            #expect(ran.status == 0 && ran.errors.contains("no caches"))
        }

        @Test(arguments: [
            (["remove", "frends", "user=1"], "did you mean `friends`?"), (["remove", "friends"], "`pipe-run remove friends user=VALUE`"),
            (["remove", "friends", "usr=1"], "did you mean `user`?"), (["remove", "friends", "1"], "parameter=value"),
            (["clear", "frends"], "did you mean `friends`?"), (["clear", "friends", "user=1"], "pipe-run remove"),
        ])
        func `wrong usage ends with 64`(arguments: [String], words: String) async throws {
            let ran = try await WorkFolder(Self.shared).start(arguments).ran()

            #expect(ran.status == 64 && ran.text == "")
            #expect(ran.errors.contains(words), "\(ran.errors)")
        }
    }
}

import Foundation
import Testing

extension CommandLineTests {
    @Suite struct ListTests {
        static let file = """
            sources:
              memory: { type: memory }
              disk: { type: file, path: ".cache/{key}.json" }
              db: { type: sqlite, path: .cache/all.db }
              flat: { type: file, path: "flat/{user}.json", read_only: true }
            pipelines:
              friends:
                parameters: [user]
                not_found_ttl: 1h
                tiers: [ { source: memory, ttl: 30s }, { source: disk, ttl: 10m }, { source: db, ttl: none }, flat ]
              origins: { parameters: [user], tiers: [flat] }
            """

        private func filled() async throws -> WorkFolder {
            let folder = try WorkFolder(Self.file)
            for user in ["1", "2", "3"] {
                try folder.write("flat/\(user).json", "[\(user)]")
                _ = try await folder.run("fetch", "friends", "user=\(user)")
            }
            return folder
        }

        @Test func `says what each cache holds`() async throws {
            let ran = try await filled().run("list", "friends")

            #expect(ran.status == 0, "\(ran.everything)")
            #expect(ran.lines.first == "memory: nothing, its copies end with each process")
            #expect(ran.text.contains("\ndisk: 3 copies\n") && ran.text.contains("\ndb: 3 copies\n"), "\(ran.text)")
            #expect(ran.text.contains(/(?m)^  friends,user=1  age \S+ +fresh for \S+  3 bytes$/), "\(ran.text)")
            #expect(ran.text.contains(/(?m)^  friends,user=3  age \S+ +no limit  3 bytes$/), "\(ran.text)")
        }

        @Test func `lists no more than asked for, and says that there are others`() async throws {
            let ran = try await filled().run("list", "friends", "--limit", "2")

            #expect(ran.lines.filter { $0.hasSuffix("the first 2 copies") }.count == 2, "\(ran.text)")
            #expect(!ran.text.contains("user=3"))
        }

        @Test func `as JSON, times are numbers and parameters are named`() async throws {
            let ran = try await filled().run("list", "friends", "--output", "json")

            let object = try #require(try JSONSerialization.jsonObject(with: Data(ran.text.utf8)) as? [String: Any])
            let caches = try #require(object["caches"] as? [[String: Any]])
            #expect(caches.compactMap { $0["source"] as? String } == ["memory", "disk", "db"])
            let copies = try #require(caches[1]["copies"] as? [[String: Any]])
            #expect(copies.compactMap { $0["key"] as? String } == ["friends,user=1", "friends,user=2", "friends,user=3"])
            #expect(copies[0]["parameters"] as? [String: String] == ["user": "1"])
            #expect(copies[0]["place"] as? String == ".cache/friends,user=1.json")
            #expect(copies[0]["size"] as? Int == 3 && copies[0]["not_found"] as? Bool == false)
            let freshFor = try #require(copies[0]["fresh_for_ms"] as? Int)
            #expect((1...600_000).contains(freshFor))
        }

        @Test func `a file that was edited by hand is listed under its path`() async throws {
            let folder = try await filled()
            try folder.write(".cache/friends,user=2.json", "[2, 22]")

            let ran = try await folder.run("list", "friends")

            #expect(ran.text.contains(/(?m)^  \.cache\/friends,user=2\.json +age \S+ +fresh for \S+  7 bytes$/), "\(ran.text)")
        }

        @Test func `a cache that cannot be asked ends with 1, the others are listed`() async throws {
            let folder = try await filled()
            try folder.write("not-a-database.db", "no database at all, and long enough to be looked at as one")
            try folder.write("pipeline.yaml", Self.file.replacing(".cache/all.db", with: "not-a-database.db"))

            let ran = try await folder.start(["list", "friends"]).ran()

            #expect(ran.status == 1 && ran.text.contains(/(?m)^db: failed: .+/), "\(ran.everything)")
            #expect(ran.text.contains("disk: 3 copies"))
        }

        @Test func `a pipeline without caches has nothing to list`() async throws {
            let ran = try await WorkFolder(Self.file).run("list", "origins")

            #expect(ran.status == 0 && ran.lines == ["the pipeline has no caches"])
        }

        @Test(arguments: [(["list", "frends"], "did you mean `friends`?"), (["list", "friends", "--limit", "0"], "of at least 1")])
        func `wrong usage ends with 64`(arguments: [String], words: String) async throws {
            let ran = try await WorkFolder(Self.file).start(arguments).ran()

            #expect(ran.status == 64 && ran.text == "")
            #expect(ran.errors.contains(words), "\(ran.errors)")
        }
    }
}

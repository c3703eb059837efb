import Foundation
import Testing

extension CommandLineTests {
    /// One run after another over the same caches: what an earlier one assembled is served no longer than its parts allow.
    @Suite struct KeptWholeCommandTests {
        /// - Parameter cache: `file`, `sqlite`, or the URL of a Redis server.
        private func folder(_ cache: String) throws -> WorkFolder {
            let cache =
                switch cache {
                case "file": #"{ type: file, path: "cache/{pipeline}/{id}.json" }"#
                case "sqlite": "{ type: sqlite, path: cache.db }"
                default: "{ type: redis, url: \"\(cache)\" }"
                }
            let folder = try WorkFolder(
                """
                sources:
                  users: { type: file, path: "users/{id}.json", read_only: true }
                  posts: { type: file, path: "posts/{id}.json", read_only: true }
                  memory: { type: memory }
                  cache: \(cache)
                pipelines:
                  user: { parameters: [id], tiers: [{ source: cache, ttl: 1h }, users] }
                  plain_user: { parameters: [id], tiers: [{ source: memory, ttl: 1h }, users] }
                  post:
                    parameters: [id]
                    tiers: [posts]
                    links: { author: { at: /author_id, pipeline: user } }
                  page:
                    parameters: [id]
                    combine: { object: { user: user } }
                    tiers: [{ source: cache, ttl: 1h }]
                  plain_page:
                    parameters: [id]
                    combine: { object: { user: plain_user } }
                    tiers: [{ source: cache, ttl: 1h }]
                  followed:
                    parameters: [id]
                    combine: { of: { pipeline: post, follow: [author] } }
                    tiers: [{ source: cache, ttl: 1h }]
                """)
            try folder.write("users/7.json", #"{"name":"Ada"}"#)
            try folder.write("posts/7.json", #"{"author_id":7}"#)
            return folder
        }

        @Test(arguments: ["file", "sqlite"])
        func `KO-16 a part that is put or removed has the whole of an earlier run assembled again`(_ kind: String) async throws {
            try await putAndRemove(in: folder(kind))
        }

        @Test func `KO-16 the same holds where the copies are in Redis`() async throws {
            try await RedisProgram.run { redis in
                try await putAndRemove(in: folder(redis.url))
                try await removeFromMemory(in: folder(redis.url))
            }
        }

        private func putAndRemove(in folder: WorkFolder) async throws {
            for page in ["page", "followed"] { #expect(try await folder.run("fetch", page, "id=7").text.contains("Ada")) }
            try folder.write("users/7.json", #"{"name":"Grace"}"#)
            for page in ["page", "followed"] {
                let kept = try await folder.run("fetch", page, "id=7", "--trace")
                #expect(kept.text.contains("Ada") && kept.errors.contains("cache"), "\(kept.everything)")
            }

            let put = try await folder.run("put", "user", "id=7", input: Array(#"{"name":"Alan"}"#.utf8))
            #expect(put.status == 0, "\(put.everything)")
            for page in ["page", "followed"] { #expect(try await folder.run("fetch", page, "id=7").text.contains("Alan")) }

            #expect(try await folder.run("remove", "user", "id=7").status == 0)
            let fresh = try await folder.run("fetch", "page", "id=7", "--trace")
            #expect(fresh.text.contains("Grace"), "\(fresh.everything)")
            #expect(fresh.errors.contains("`user,id=7` has changed since"), "\(fresh.errors)")
            #expect(try await folder.run("fetch", "followed", "id=7").text.contains("Grace"))
        }

        @Test(arguments: ["file", "sqlite"])
        func `KO-16 a part that only memory keeps has it assembled again, too, where this removes it`(_ kind: String) async throws {
            try await removeFromMemory(in: folder(kind))
        }

        private func removeFromMemory(in folder: WorkFolder) async throws {
            #expect(try await folder.run("fetch", "plain_page", "id=7").text.contains("Ada"))
            try folder.write("users/7.json", #"{"name":"Grace"}"#)
            #expect(try await folder.run("fetch", "plain_page", "id=7").text.contains("Ada"))

            #expect(try await folder.run("remove", "plain_user", "id=8").status == 0)
            #expect(try await folder.run("fetch", "plain_page", "id=7").text.contains("Ada"))
            #expect(try await folder.run("remove", "plain_user", "id=7").status == 0)

            #expect(try await folder.run("fetch", "plain_page", "id=7").text.contains("Grace"))
        }
    }
}

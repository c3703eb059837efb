import Foundation
import Testing

extension WaitingTests {
    /// A folder that another process holds makes only its writers wait, and none longer than its limit.
    @Suite struct BusyDiskTests {
        private static let config = """
            sources:
              memory: { type: memory }
              disk: { type: file, path: ".cache/{key}.json" }
              db: { type: sqlite, path: cache.db }
              api: { type: http, url: "${ORIGIN}", query: { user: "{user}" } }
            pipelines:
              cached: { parameters: [user], tiers: [memory, { source: disk, ttl: 1h }, api] }
              limited: { parameters: [user], tiers: [{ source: disk, ttl: 1h, timeout: 1s }, api], deadline: 50s }
              stored: { parameters: [user], tiers: [{ source: db, ttl: 1h, timeout: 1s }, api], deadline: 50s }
              plain: { parameters: [user], tiers: [api] }
            """

        @Test func `sixty misses of a cache that is held leave everything else to answer, and limits hold`() async throws {
            try await OddServer.run(.value("[1]")) { origin in
                let folder = try WorkFolder(Self.config)
                let hung = try HeldFolder(".cache", in: folder)

                let ran = try await folder.serving(environment: ["ORIGIN": origin.url]) { server in
                    // The folder is held to the end: an answer that waits for it does not come within a client's patience.
                    func get(_ path: String) async throws {
                        let answer = try await server.get(path)
                        #expect(answer.status == 200 && answer.text == "[1]", "\(path) gave \(answer.status)")
                    }
                    try await withThrowingTaskGroup { group in
                        for user in 1...60 { group.addTask { try await get("/cached?user=\(user)") } }
                        try await group.waitForAll()
                    }
                    for user in 1...60 { try await get("/cached?user=\(user)") }
                    for user in 1...3 {
                        try await get("/plain?user=\(user)")
                        try await get("/limited?user=\(user)")
                        try await get("/stored?user=\(user)")
                    }
                }

                #expect(ran.status == 0)
                #expect(ran.errors.contains("not written to `disk`: `cached,user=60`"))
                withExtendedLifetime(hung) {}
            }
        }

        @Test func `a removal of a file in a folder that is held ends at the tier's time, and says so`() async throws {
            let folder = try WorkFolder(Self.config)
            let hung = try HeldFolder(".cache", in: folder)

            let ran = try await folder.run("remove", "limited", "user=1", environment: ["ORIGIN": "http://127.0.0.1:9"])

            #expect(ran.status == 1)
            #expect(ran.text.contains("no answer within 1s") || ran.errors.contains("no answer within 1s"), "\(ran.text)\(ran.errors)")
            withExtendedLifetime(hung) {}
        }
    }
}

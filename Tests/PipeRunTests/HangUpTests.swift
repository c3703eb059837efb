import Foundation
import Testing

extension CommandLineTests {
    /// Under `nohup`, SIGHUP is ignored from the start and stays so. Without it, `EndingTests` sees it end the process, and `ServeReloadTests` has `serve` read its file again.
    @Suite struct HangUpTests {
        @Test func `a fetch under nohup goes on after SIGHUP`() async throws {
            try await OddServer.run({ _, number in number == 1 ? .held(.value("[1]")) : .value("[2]") }) { origin in
                let folder = try WorkFolder(threeTiers)
                let process = try folder.start(
                    ["fetch", "friends", "--repeat", "2", "--policy", "refresh"], environment: ["ORIGIN": origin.url], under: ["nohup"])
                try await origin.asked()

                process.send(SIGHUP)
                origin.release()
                let ran = try await process.ran()

                #expect(ran.status == 0 && ran.text == "[1]\n[2]\n", "\(ran.everything)")
                #expect(folder.read(".cache/friends.json") == "[2]")
            }
        }

        @Test func `a put under nohup goes on after SIGHUP`() async throws {
            let folder = try WorkFolder(threeTiers)
            var held: HeldFolder? = try HeldFolder(".cache", in: folder)
            let process = try folder.start(
                ["put", "friends"], environment: ["ORIGIN": "http://127.0.0.1:1"], input: Array("[1]".utf8), under: ["nohup"])
            try await until("a temporary file") { folder.files(below: ".cache").contains { $0.hasSuffix(".tmp") } }

            process.send(SIGHUP)
            held = nil
            let ran = try await process.ran()

            #expect(held == nil)
            #expect(ran.status == 0 && folder.read(".cache/friends.json") == "[1]", "\(ran.everything)")
        }

        @Test func `a server under nohup goes on after SIGHUP, and ends with SIGTERM`() async throws {
            try await OddServer.run({ _, number in .value("[\(number)]") }) { origin in
                let folder = try WorkFolder(threeTiers)
                let ran = try await folder.serving(environment: ["ORIGIN": origin.url], under: ["nohup"]) { server in
                    server.process.send(SIGHUP)
                    for _ in 0..<3 {
                        let answer = try await server.get("/friends")
                        #expect(answer.text == "[1]")
                    }
                    server.process.send(SIGTERM)
                }
                #expect(ran.status == 0, "\(ran.everything)")
            }
        }
    }
}

import Testing

extension ServingTests {
    /// What `serve` does with sends that earlier processes have taken in.
    @Suite struct SendServingTests {
        @Test func `serve shows what waits, lets nobody keep it, and delivers it`() async throws {
            let folder = try WorkFolder(friendsWithSends)
            try await OddServer.run(friends { _ in .status(503) }) { origin in
                _ = try await folder.run("fetch", "friends", "user=42", environment: ["ORIGIN": origin.url])
                _ = try await folder.run(
                    "send", "add_friend", "user=42", "--id", "my-1", "--wait", "100ms", environment: ["ORIGIN": origin.url],
                    input: Array(#"{"name":"Ada"}"#.utf8))

                try await folder.serving(environment: ["ORIGIN": origin.url]) { server async throws in
                    let answer = try await server.get("/friends?user=42")
                    #expect(answer.text.contains("~my-1"), "\(answer.text)")
                    #expect(answer["Cache-Control"] == "no-store" && answer["Pipe-Run-Sends"] == "1")
                    #expect(answer["ETag"]?.hasPrefix("W/") == true)
                }
            }
            try await OddServer.run(friends { _ in .value(#"{"id":7,"name":"Ada"}"#) }) { origin in
                try await folder.serving(environment: ["ORIGIN": origin.url]) { server async throws in
                    _ = try await server.get("/friends?user=42")
                    try await until("the send is a change of the list") {
                        try await server.get("/friends?user=42")["Pipe-Run-Sends"] == nil
                    }
                    let answer = try await server.get("/friends?user=42")
                    #expect(answer.text == #"[{"id":1},{"id":7,"name":"Ada"}]"#)
                    #expect(answer["Cache-Control"] != "no-store")
                }
            }
        }
    }
}

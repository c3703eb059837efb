import Testing

extension CommandLineTests {
    /// What `serve` says of copies that its clients make.
    @Suite struct ServeCachingTests {
        private static func config(_ url: String, _ more: String = "") -> String {
            """
            sources:
              memory: { type: memory }
              api: { type: http, url: "\(url)/{user}"\(more) }
            pipelines:
              friends: { parameters: [user], format: text, tiers: [ { source: memory, ttl: 30s }, api ] }
              plain: { parameters: [user], format: text, tiers: [api] }
              lasting: { parameters: [user], format: text, tiers: [ { source: memory, ttl: none }, api ] }
            """
        }

        /// An answer with the value `one` and these fields.
        private static func value(_ fields: String...) -> OddServer.Reply {
            .bytes((["HTTP/1.1 200 OK", "Content-Length: 3"] + fields + ["", "one"]).joined(separator: "\r\n"))
        }

        @Test func `the fields of the origin, Age and what is left go to the client`() async throws {
            let reply = Self.value(
                "Cache-Control: max-age=1000, must-revalidate", "Age: 400", "ETag: \"1\"", "Last-Modified: Sat, 31 Jan 2026 23:59:59 GMT")
            try await OddServer.run(reply) { origin async throws in
                let folder = try WorkFolder(Self.config(origin.url, ", caching: headers"))
                try await folder.serving { server async throws in
                    for _ in 1...2 {
                        let answer = try await server.get("/lasting?user=1")
                        #expect(answer.status == 200 && answer.text == "one")
                        #expect(answer["Age"]?.wholeMatch(of: /4[0-9][0-9]/) != nil)
                        #expect(answer["Cache-Control"] == "max-age=1000, must-revalidate")
                        #expect(answer["ETag"] == "\"1\"" && answer["Last-Modified"] == "Sat, 31 Jan 2026 23:59:59 GMT")
                    }
                }
                #expect(origin.count == 1)
            }
        }

        @Test func `what no cache may keep is said to be so`() async throws {
            try await OddServer.run(Self.value("Cache-Control: no-store")) { origin async throws in
                let folder = try WorkFolder(Self.config(origin.url, ", caching: headers"))
                try await folder.serving { server async throws in
                    for count in 1...2 {
                        #expect(try await server.get("/friends?user=1")["Cache-Control"] == "no-store")
                        #expect(origin.count == count)
                    }
                }
            }
        }

        @Test func `without the words of an origin the ttl counts, and without a ttl nothing is said`() async throws {
            try await OddServer.run(Self.value("Cache-Control: no-store, private, max-age=7")) { origin async throws in
                let folder = try WorkFolder(Self.config(origin.url))
                try await folder.serving { server async throws in
                    let cold = try await server.get("/friends?user=1")
                    let warm = try await server.get("/friends?user=1")
                    #expect(cold["Cache-Control"] == warm["Cache-Control"])
                    #expect(warm["Cache-Control"]?.wholeMatch(of: /max-age=3[0-9]/) != nil)
                    #expect(try await server.get("/plain?user=1")["Cache-Control"] == nil)
                    #expect(try await server.get("/lasting?user=1")["Cache-Control"] == nil)
                }
            }
        }

        @Test func `If-Modified-Since is answered by the origin's own date, unless a tag is given`() async throws {
            let reply = Self.value("ETag: \"1\"", "Last-Modified: Sat, 31 Jan 2026 23:59:59 GMT")
            try await OddServer.run(reply) { origin async throws in
                let folder = try WorkFolder(Self.config(origin.url))
                try await folder.serving { server async throws in
                    func status(_ headers: [String: String]) async throws -> Int {
                        try await server.get("/friends?user=1", headers: headers).status
                    }
                    #expect(try await status(["If-Modified-Since": "Sat, 31 Jan 2026 23:59:59 GMT"]) == 304)
                    #expect(try await status(["If-Modified-Since": "Sunday, 01-Feb-26 00:00:00 GMT"]) == 304)
                    #expect(try await status(["If-Modified-Since": "Sat, 31 Jan 2026 23:59:58 GMT"]) == 200)
                    #expect(try await status(["If-Modified-Since": "yesterday"]) == 200)
                    #expect(try await status(["If-Modified-Since": "Sun, 01 Feb 2026 00:00:00 GMT", "If-None-Match": "\"2\""]) == 200)
                    #expect(try await status(["If-Modified-Since": "Fri, 30 Jan 2026 00:00:00 GMT", "If-None-Match": "\"1\""]) == 304)
                }
            }
        }
    }
}

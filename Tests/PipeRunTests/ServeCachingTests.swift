import Testing

extension ServingTests {
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

        /// That there is no value, with these fields.
        private static func absence(_ fields: String...) -> OddServer.Reply {
            .bytes((["HTTP/1.1 404 Not Found", "Content-Length: 0"] + fields + ["", ""]).joined(separator: "\r\n"))
        }

        @Test func `that there is no value is kept as long as here, and has an age`() async throws {
            try await OddServer.run(Self.absence("Cache-Control: max-age=1000", "Age: 400")) { origin async throws in
                let text = Self.config(origin.url, ", caching: headers").replacing("format: text", with: "not_found_ttl: 1h, format: text")
                try await WorkFolder(text).serving { server async throws in
                    let cold = try await server.get("/lasting?user=1")
                    let warm = try await server.get("/lasting?user=1")
                    for answer in [cold, warm] {
                        #expect(answer.status == 404)
                        #expect(answer["Age"]?.wholeMatch(of: /4[0-9][0-9]/) != nil)
                        #expect(answer["Cache-Control"] == "max-age=1000")
                    }
                    #expect(cold["Cache-Status"] == #""api"; fwd=miss; fwd-status=404, "memory"; fwd=miss; stored"#)
                    #expect(warm["Cache-Status"]?.wholeMatch(of: /"memory"; hit; ttl=[0-9]+; detail=not_found/) != nil)
                }
                #expect(origin.count == 1)
            }
        }

        @Test(arguments: [(203, 200), (226, 200), (410, 404)])
        func `what the origin answered with is told as it was`(status: Int, told: Int) async throws {
            let reply = OddServer.Reply.bytes("HTTP/1.1 \(status) X\r\nContent-Length: 1\r\n\r\n1")
            try await OddServer.run(reply) { origin async throws in
                try await WorkFolder(Self.config(origin.url)).serving { server async throws in
                    let answer = try await server.get("/lasting?user=1")
                    #expect(answer.status == told)
                    #expect(answer["Cache-Status"]?.hasPrefix("\"api\"; fwd=miss; fwd-status=\(status)") == true)
                    if status != 410 {
                        #expect(try await server.get("/lasting?user=1")["Cache-Status"]?.hasPrefix("\"memory\"; hit") == true)
                    }
                }
            }
        }

        @Test func `without the words of an origin not_found_ttl counts, and without that nothing is said`() async throws {
            try await OddServer.run(Self.absence()) { origin async throws in
                let text = Self.config(origin.url)
                    .replacing(
                        "format: text, tiers: [ { source: memory, ttl: 30s", with: "not_found_ttl: 1h, tiers: [ { source: memory, ttl: 30s"
                    )
                    .replacing("lasting: {", with: "lasting: { not_found_ttl: 30s,")
                try await WorkFolder(text).serving { server async throws in
                    for pipeline in ["friends", "lasting"] {
                        for _ in 1...2 {
                            let answer = try await server.get("/\(pipeline)?user=1")
                            #expect(answer.status == 404 && answer["Age"] != nil)
                            #expect(answer["Cache-Control"]?.wholeMatch(of: /max-age=3[0-9]/) != nil)
                        }
                    }
                    #expect(try await server.get("/plain?user=1")["Cache-Control"] == nil)
                }
            }
        }

        @Test func `what no cache may remember is said to be so, a 404 as well`() async throws {
            try await OddServer.run(Self.absence("Cache-Control: no-store")) { origin async throws in
                let text = Self.config(origin.url, ", caching: headers").replacing("format: text", with: "not_found_ttl: 1h, format: text")
                try await WorkFolder(text).serving { server async throws in
                    #expect(try await server.get("/friends?user=1")["Cache-Control"] == "no-store")
                }
            }
        }

        @Test func `while the origin rests a client is told when to come again`() async throws {
            let reply = OddServer.Reply.bytes("HTTP/1.1 503 Later\r\nContent-Length: 0\r\nRetry-After: 1000\r\n\r\n")
            try await OddServer.run(reply) { origin async throws in
                try await WorkFolder(Self.config(origin.url)).serving("pipeline.yaml", "--errors", "brief") { server async throws in
                    for user in 1...2 {
                        let answer = try await server.get("/plain?user=\(user)")
                        #expect(answer.status == 502)
                        #expect(answer["Retry-After"]?.wholeMatch(of: /1000|9[0-9][0-9]/) != nil)
                    }
                }
                #expect(origin.count == 1)
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

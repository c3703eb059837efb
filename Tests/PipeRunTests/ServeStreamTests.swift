import Foundation
import Testing

extension ServingTests {
    /// Values as they change, as event streams of `serve`.
    @Suite struct ServeStreamTests {
        /// Each plain GET loads the file anew: that is how these tests change the value.
        private static let config = """
            sources:
              flat: { type: file, path: "flat/{key}.json", read_only: true }
              raw: { type: file, path: "flat/raw", read_only: true }
              ads: { type: file, path: flat/ads.json, read_only: true }
            pipelines:
              friends: { parameters: [user], tiers: [flat] }
              bytes: { format: bytes, tiers: [raw] }
              ads: { tiers: [ads] }
              page:
                combine: { object: { friends: { pipeline: friends, with: { user: "1" } }, ads: { pipeline: ads, optional: true } } }
            """

        private static let accept = "Accept: text/event-stream\r\n"

        /// A stream on a connection of its own, not in chunks.
        private final class Stream {
            let wire: Wire
            private(set) var head = ""
            private var reader = EventReader()
            private var isInBody = false
            private var rest: [UInt8] = []

            init(_ server: Serving, _ target: String, _ fields: String = "", buffer: Int32? = nil) throws {
                wire = try Wire(server, buffer: buffer)
                try wire.send(Wire.head(target, ServeStreamTests.accept + fields, version: "1.0"))
            }

            /// The events as soon as there are `count`; nil when the stream ends before. The comments that keep a stream open do not keep
            /// this one waiting.
            func events(_ count: Int) async throws -> [EventReader.Event]? {
                let end = ContinuousClock.now + .seconds(patience)
                while reader.events.count < count {
                    guard ContinuousClock.now < end else { throw TooLong(description: "\(count) events, after \(reader.events)") }
                    guard let bytes = try await blocking({ [wire] in try wire.socket.receive() }) else { return nil }
                    take(bytes)
                }
                return reader.events
            }

            private func take(_ bytes: [UInt8]) {
                if isInBody { return reader.read(bytes) }
                rest += bytes
                guard let blank = rest.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
                head = String(decoding: rest[..<blank.lowerBound], as: UTF8.self)
                isInBody = true
                reader.read(Array(rest[blank.upperBound...]))
            }
        }

        private func change(_ folder: WorkFolder, to text: String, _ server: Serving, user: Int = 1) async throws {
            try folder.write("flat/friends,user=\(user).json", text)
            #expect(try await server.get("/friends?user=\(user)").status == 200)
        }

        private func folder() throws -> WorkFolder {
            let folder = try WorkFolder(Self.config)
            try folder.write("flat/friends,user=1.json", "[\n  1\n]\n")
            try folder.write("flat/raw", [0, 1, 2])
            return folder
        }

        @Test func `a stream has the value, then each change of it, with an id`() async throws {
            let folder = try folder()
            try await folder.serving { server in
                let stream = try Stream(server, "/friends?user=1")
                let first = try #require(try await stream.events(1)).first
                #expect(first?.name == "value" && first?.data == "[\n  1\n]\n")
                #expect(stream.head.hasPrefix("HTTP/1.1 200 OK") && stream.head.contains("Content-Type: text/event-stream"))
                #expect(stream.head.contains("Cache-Control: no-store"))
                try await change(folder, to: "[2]", server)

                let events = try #require(try await stream.events(2))
                #expect(events[1].data == "[2]" && events[1].name == "value")
                let ids = events.map(\.id)
                let epochs = Set(ids.map { $0.prefix { $0 != "-" } })
                #expect(epochs.count == 1 && Set(ids).count == 2, "\(ids)")

                // Connected again with that id: nothing until a change.
                let again = try Stream(server, "/friends?user=1", "Last-Event-ID: \(ids[1])\r\n")
                let other = try Stream(server, "/friends?user=1", "Last-Event-ID: \(ids[0])\r\n")
                #expect(try await other.events(1)?.first?.data == "[2]")
                try await change(folder, to: "[3]", server)
                #expect(try await again.events(1)?.map(\.data) == ["[3]"])
            }
        }

        @Test func `what a value lacks is told before it, and when nothing lacks any more`() async throws {
            let folder = try folder()
            try folder.write("flat/friends,user=1.json", "[1]")
            try folder.write("flat/ads.json", "no JSON")
            try await folder.serving { server in
                let stream = try Stream(server, "/page")
                let first = try #require(try await stream.events(2))
                #expect(first.map(\.name) == ["incomplete", "value"])
                #expect(first.map(\.data) == [#"["/ads"]"#, #"{"friends":[1]}"#])
                // What a client has is not told again.
                let lastID = "Last-Event-ID: \(first[1].id)\r\n"
                let again = try Stream(server, "/page", lastID)

                try folder.write("flat/ads.json", "[7]")
                #expect(try await server.get("/ads").status == 200)
                // One that comes after the change is told what one that was there is told: it may still lack what it lacked.
                let late = try Stream(server, "/page", lastID)
                for (stream, count) in [(stream, 4), (again, 2), (late, 2)] {
                    let events = try #require(try await stream.events(count)).suffix(2)
                    #expect(events.map(\.name) == ["incomplete", "value"])
                    #expect(events.map(\.data) == ["[]", #"{"friends":[1],"ads":[7]}"#])
                }
            }
        }

        @Test func `a client of a server that was started anew is told what its next value lacks, and not before`() async throws {
            let folder = try folder()
            try folder.write("flat/friends,user=1.json", "[1]")
            try folder.write("flat/ads.json", "no JSON")
            var last = ""
            try await folder.serving { server in
                last = try #require(try await Stream(server, "/page").events(2)?.last?.id)
            }
            for (ads, lacking, value) in [("no JSON", #"["/ads"]"#, #"{"friends":[1]}"#), ("[7]", "[]", #"{"friends":[1],"ads":[7]}"#)] {
                try folder.write("flat/ads.json", ads)
                try await folder.serving { server in
                    let events = try await Stream(server, "/page", "Last-Event-ID: \(last)\r\n").events(2)
                    #expect(events?.map(\.name) == ["incomplete", "value"] && events?.map(\.data) == [lacking, value], "\(events ?? [])")
                }
            }
        }

        @Test func `with output=changes each change is a line of JSON`() async throws {
            let folder = try folder()
            try await folder.serving { server in
                let stream = try Stream(server, "/friends?user=1&output=changes")
                let event = try #require(try await stream.events(1)?.first)

                #expect(event.name == "change" && event.data.hasPrefix("{\"revision\":"))
                #expect(event.data.hasSuffix("\"op\":\"reset\",\"value\":[1]}") && event.id.hasSuffix("-1"))
            }
        }

        @Test func `what is no stream is answered as a plain GET is`() async throws {
            let folder = try folder()
            try await folder.serving { server in
                func status(_ target: String, method: String = "GET", _ headers: [String: String] = [:]) async throws -> Int {
                    let fields = headers.merging(["Accept": "text/event-stream"]) { $1 }
                    return try await server.get(target, method: method, headers: fields).status
                }
                #expect(try await status("/nothing") == 404)
                #expect(try await status("/friends") == 400)
                #expect(try await status("/friends?user=1&output=odd") == 400)
                #expect(try await status("/friends?user=1&x=1") == 400)
                #expect(try await status("/bytes") == 406)
                #expect(try await status("/-/health") == 200)
                let head = try await server.get("/friends?user=1", method: "HEAD", headers: ["Accept": "text/event-stream"])
                #expect(head.status == 200 && head["Content-Type"] == "text/event-stream" && head.body.isEmpty)
                #expect(try await status("/friends?user=1", ["Origin": "https://evil.example"]) == 403)
                #expect(try await server.get("/friends?user=1", headers: ["Origin": "https://evil.example"]).status == 200)
            }
        }

        @Test func `a page of an origin that is named may read, and the answer says so`() async throws {
            let folder = try folder()
            try await folder.serving("pipeline.yaml", "--allow-origin", "https://app.example", "--allow-origin", "http://b.example:81") {
                server in
                for origin in ["https://app.example", "http://b.example:81"] {
                    let stream = try Stream(server, "/friends?user=1", "Origin: \(origin)\r\n")
                    #expect(try await stream.events(1)?.count == 1)
                    #expect(stream.head.contains("Access-Control-Allow-Origin: \(origin)"), "\(stream.head)")
                }
            }
        }

        @Test func `LV-43 a client that does not read holds one value, and then gets the newest`() async throws {
            try await OddServer.run({ _, number in .value("\"\(number)\(String(repeating: "x", count: 1 << 20))\"") }) { origin in
                let folder = try WorkFolder(
                    "sources: { api: { type: http, url: \"\(origin.url)\" } }\npipelines: { friends: { tiers: [api] } }")
                try await folder.serving("pipeline.yaml", "--write-timeout", "1h") { server in
                    let stream = try Stream(server, "/friends", buffer: 65_536)
                    try await origin.asked()
                    for _ in 1...10 { #expect(try await server.get("/friends").status == 200) }
                    let before = server.process.residentMegabytes
                    for _ in 1...80 { #expect(try await server.get("/friends").status == 200) }
                    let after = server.process.residentMegabytes
                    #expect(after < before + 50, "\(before) MiB, then \(after) MiB")

                    // A few had gone into the buffers of the system before those were full.
                    var count = 1
                    while try #require(try await stream.events(count)).last?.data.hasPrefix("\"\(origin.count)x") != true { count += 1 }
                    #expect(count < 30, "the others were skipped")
                }
            }
        }

        @Test func `LV-44 100 streams, and SIGTERM: it ends at once, and writes what waits`() async throws {
            try await OddServer.run(.value("[1]")) { origin in
                let folder = try WorkFolder(
                    """
                    sources:
                      disk: { type: file, path: ".cache/{key}.json" }
                      api: { type: http, url: "\(origin.url)" }
                    pipelines:
                      friends: { parameters: [user], tiers: [ { source: disk, ttl: 10h, debounce: 1h }, api ] }
                    """)
                let ran = try await folder.serving("pipeline.yaml", "--drain", "30s") { server in
                    let streams = try (0..<100).map { try Stream(server, "/friends?user=\($0 % 5)") }
                    for stream in streams { #expect(try await stream.events(1)?.first?.data == "[1]") }
                    #expect(folder.read(".cache/friends,user=1.json") == nil)
                    server.process.send(SIGTERM)
                    for stream in streams { #expect(try await stream.events(2) == nil) }
                }
                #expect(ran.status == 0, "\(ran.errors)")
                for user in 0..<5 { #expect(folder.read(".cache/friends,user=\(user).json") == "[1]") }
            }
        }

        @Test func `LV-48 a reload ends the streams of a pipeline that is gone; the others go on, also of one that changed`() async throws {
            let folder = try folder()
            let two = Self.config + "\n  others: { parameters: [user], tiers: [flat] }"
            try folder.write("flat/others,user=1.json", "[9]")
            try folder.write("pipeline.yaml", two)
            try await folder.serving { server in
                let (kept, gone) = (try Stream(server, "/friends?user=1"), try Stream(server, "/others?user=1"))
                #expect(try await kept.events(1)?.count == 1)
                #expect(try await gone.events(1)?.first?.data == "[9]")
                try folder.write("pipeline.yaml", Self.config)
                server.process.send(SIGHUP)
                #expect(try await gone.events(2) == nil, "it ends")

                try await change(folder, to: "[2]", server)
                #expect(try await kept.events(2)?.last?.data == "[2]")
                try folder.write(
                    "pipeline.yaml", Self.config.replacing("tiers: [flat] }\n  bytes", with: "deadline: 7s, tiers: [flat] }\n  bytes"))
                server.process.send(SIGHUP)
                try await until("the reload") { server.process.errors.text.matches(of: /reloaded/).count == 2 }
                try await change(folder, to: "[3]", server)
                #expect(try await kept.events(3)?.last?.data == "[3]")
                server.process.send(SIGTERM)
            }
        }

        @Test func `a stream gets at once what a pipeline has that a reload changed`() async throws {
            let folder = try folder()
            try folder.write("other/friends,user=1.json", "[2]")
            try await folder.serving { server in
                let (list, page) = (try Stream(server, "/friends?user=1"), try Stream(server, "/page"))
                #expect(try await list.events(1)?.count == 1)
                #expect(try await page.events(1) != nil)
                let other = "  other: { type: file, path: \"other/{key}.json\", read_only: true }\n"
                try folder.write(
                    "pipeline.yaml",
                    Self.config.replacing("  raw:", with: other + "  raw:").replacing("user], tiers: [flat]", with: "user], tiers: [other]")
                )
                server.process.send(SIGHUP)

                #expect(try await list.events(2)?.last?.data == "[2]")
                var count = 1
                while let events = try await page.events(count), !events.contains(where: { $0.data.contains("[2]") }) { count += 1 }
                #expect(try await page.events(count) != nil, "it has not ended")
                server.process.send(SIGTERM)
            }
        }

        @Test func `curl -N reads a stream, and its end is the end of the answer`() async throws {
            let folder = try folder()
            try await folder.serving { server in
                let curl = Process()
                let output = Pipe()
                curl.executableURL = Tool.path("curl").map { URL(filePath: $0) }
                curl.arguments = ["-sSN", "-H", "Accept: text/event-stream", server.url + "/friends?user=1"]
                curl.standardOutput = output
                try curl.run()
                let collected = Collected(dup(output.fileHandleForReading.fileDescriptor))
                try output.fileHandleForWriting.close()
                _ = try await blocking { try collected.first { $0.contains("data:   1\n") ? true : nil } }
                try await change(folder, to: "[2]", server)
                _ = try await blocking { try collected.first { $0.contains("data: [2]\n\n") ? true : nil } }
                server.process.send(SIGTERM)
                let text = String(decoding: try await blocking { try collected.all() }, as: UTF8.self)
                curl.waitUntilExit()

                #expect(curl.terminationStatus == 0, "the last chunk came: \(text)")
                var reader = EventReader()
                reader.read(Array(text.utf8))
                #expect(reader.events.map(\.data) == ["[\n  1\n]\n", "[2]"])
            }
        }

        @Test(.enabled(if: Tool.python != nil)) func `a reader in Python's standard library reads a stream`() async throws {
            let folder = try folder()
            try folder.write(
                "read.py",
                """
                import http.client, sys
                connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
                connection.request("GET", "/friends?user=1", headers={"Accept": "text/event-stream"})
                answer = connection.getresponse()
                event = {}
                for raw in answer:
                    line = raw.decode().rstrip("\\n")
                    if line:
                        name, _, value = line.partition(": ")
                        event.setdefault(name, []).append(value)
                    elif event:
                        print(event["event"][0], "|".join(event["data"]))
                        break
                """)
            try await folder.serving { server in
                let printed = try await Tool.output(of: Tool.python, ["read.py", "\(server.port)"], in: folder.url, failsOnErrors: true)
                #expect(printed == "value [|  1|]|\n")
            }
        }
    }
}

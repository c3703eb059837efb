import Foundation
import Testing

@testable import PipelineServer

extension ServingTests {
    /// What `serve` tells of itself: `/-/metrics` and the log.
    @Suite struct ServeMetricsTests {
        private func metrics(_ server: Serving) async throws -> PrometheusText {
            let answer = try await server.get("/-/metrics")
            #expect(answer.status == 200 && answer["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
            return try PrometheusText(answer.text)
        }

        /// The metrics as soon as `isReached` holds: slow caches are written after the answer.
        private func metrics(_ server: Serving, until isReached: (PrometheusText) -> Bool) async throws -> PrometheusText {
            let limit = Date(timeIntervalSinceNow: patience)
            while true {
                let metrics = try await metrics(server)
                if isReached(metrics) { return metrics }
                guard Date() < limit else { throw TooLong(description: "the metrics stay \(metrics.values)") }
            }
        }

        @Test func `metrics count what each tier did, and how long it took`() async throws {
            try await OddServer.run(.value("[1]")) { origin in
                try await WorkFolder(threeTiers).serving(environment: ["ORIGIN": origin.url]) { server in
                    for _ in 1...2 { #expect(try await server.get("/friends").status == 200) }
                    let written = ["pipeline": "friends", "source": "disk", "outcome": "written"]
                    let metrics = try await metrics(server) { $0["pipe_run_writes_total", written] == 1 }

                    let counts = ["memory", "disk", "api"].map { source in
                        ["hits", "misses", "stale", "errors"].map { metrics["pipe_run_\($0)_total", "friends", source] }
                    }
                    #expect(counts == [[1, 1, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0]])
                    #expect(metrics["pipe_run_writes_total", written.merging(["source": "memory"]) { $1 }] == 1)
                    #expect(metrics["pipe_run_writes_total", written.merging(["outcome": "failed"]) { $1 }] == 0)
                    #expect(metrics["pipe_run_writes_total", written.merging(["source": "api"]) { $1 }] == nil, "an origin is not written")
                    #expect(metrics["pipe_run_evictions_total", "friends", "memory"] == 0)
                    #expect(metrics["pipe_run_load_seconds_count", "friends", "api"] == 1)
                    let sum = try #require(metrics["pipe_run_load_seconds_sum", "friends", "api"])
                    #expect(sum > 0 && sum < patience)
                    #expect(metrics["pipe_run_load_seconds_count", "friends", "memory"] == 2, "a hit counts, too")
                    #expect(metrics["pipe_run_load_seconds_bucket", ["pipeline": "friends", "source": "api", "le": "0.005"]] != nil)
                    #expect(
                        metrics.types.values.filter { $0 == "counter" }.count == 9 && metrics.types["pipe_run_load_seconds"] == "histogram")
                    #expect(Set(metrics.help.keys) == Set(metrics.types.keys))
                }
            }
        }

        @Test func `the text is the same as long as nothing happens, and sorted`() async throws {
            try await WorkFolder(ServeTests.formats).serving { server in
                let first = try await server.get("/-/metrics").text
                #expect(try await server.get("/-/metrics?x=1").text == first)

                let names = try PrometheusText(first).order.map(\.name)
                let families = names.map { $0.replacing(/_(bucket|sum|count)$/, with: "") }
                #expect(families == families.sorted() && !families.isEmpty)
                #expect(try PrometheusText(first).values.allSatisfy { $0.value == ($0.key.name == "pipe_run_build_info" ? 1 : 0) })
            }
        }

        @Test func `only GET and HEAD of metrics are answered, and nothing else is below them`() async throws {
            try await WorkFolder(ServeTests.formats).serving { server in
                let head = try await server.get("/-/metrics", method: "HEAD")
                #expect(head.status == 200 && head.body == [] && head["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
                #expect(try await server.get("/-/metrics").body.count == head["Content-Length"].flatMap { Int($0) })
                #expect(try await server.get("/-/metrics", method: "POST").status == 405)
                for target in ["/-/", "/-/metrics/", "/-/Metrics", "/-/friends?user=1", "/-//metrics"] {
                    let answer = try await server.get(target)
                    #expect(answer.status == 404 && answer["Content-Type"] == "application/json", "\(target)")
                    #expect(answer.text.contains("nothing is at") && answer.text.contains("/-/metrics"), "\(answer.text)")
                }
                #expect(try await server.get("/-").text.contains("known pipelines"))
            }
        }

        @Test func `names from the file are labels, whatever is in them`() async throws {
            let folder = try WorkFolder(
                #"""
                sources:
                  "fl\"at\\\n} 1\n# TYPE x counter\n": { type: file, path: "flat/{pipeline}", read_only: true }
                  mem,ory="é": { type: memory }
                pipelines:
                  "a\"b\\c\nd\r\te{}": { tiers: [ { source: 'mem,ory="é"', ttl: 30s }, "fl\"at\\\n} 1\n# TYPE x counter\n" ] }
                  "-": { tiers: ["fl\"at\\\n} 1\n# TYPE x counter\n"] }
                  "-/metrics": { tiers: ["fl\"at\\\n} 1\n# TYPE x counter\n"] }
                """#)
            let flat = "fl\"at\\\n} 1\n# TYPE x counter\n"
            try folder.write("flat/-", "[2]")

            try await folder.serving { server in
                #expect(try await server.get("/a%22b%5Cc%0Ad%0D%09e%7B%7D").status == 404)
                #expect(try await server.get("/-").text == "[2]")
                let missing = try await server.get("/-%2Fmetrics")
                #expect(missing.status == 404 && missing.text.contains("not found"))

                let metrics = try await metrics(server)
                #expect(metrics["pipe_run_misses_total", "a\"b\\c\nd\r\te{}", "mem,ory=\"é\""] == 1)
                #expect(metrics["pipe_run_hits_total", "-", flat] == 1)
                let asked = ["hits", "misses"].compactMap { metrics["pipe_run_\($0)_total", "-/metrics", flat] }
                #expect(asked.reduce(0, +) == 1)
                #expect(metrics.types["x"] == nil)
            }
        }

        @Test func `evictions are counted`() async throws {
            let folder = try WorkFolder(
                """
                sources:
                  memory: { type: memory, max_entries: 2 }
                  flat: { type: file, path: "flat", read_only: true }
                pipelines:
                  friends: { parameters: [user], tiers: [ { source: memory, ttl: 30s }, flat ] }
                """)
            try folder.write("flat", "[1]")

            try await folder.serving { server in
                for user in 1...9 { #expect(try await server.get("/friends?user=\(user)").status == 200) }

                let metrics = try await metrics(server)
                let written = ["pipeline": "friends", "source": "memory", "outcome": "written"]
                #expect(metrics["pipe_run_writes_total", written] == 9)
                #expect(metrics["pipe_run_evictions_total", "friends", "memory"] == 7)
            }
        }

        @Test func `requests by status, retries, circuits and the version are told`() async throws {
            try await OddServer.run(.status(500)) { origin in
                let folder = try WorkFolder(
                    """
                    sources:
                      api: { type: http, url: "${ORIGIN}" }
                      flat: { type: file, path: flat, read_only: true }
                    pipelines:
                      failing:
                        tiers:
                          - { source: api, retry: { attempts: 3, base: 1ms }, circuit_breaker: { failures: 3, open_for: 1h } }
                      good: { tiers: [ { source: flat, circuit_breaker: { failures: 1, open_for: 1h } } ] }
                    """)
                try folder.write("flat", "[1]")
                try await folder.serving(environment: ["ORIGIN": origin.url]) { server in
                    for (target, status) in [("/failing", 502), ("/good", 200), ("/good", 200), ("/good?x=1", 400), ("/nothing", 404)] {
                        let answer = try await server.get(target)
                        #expect(answer.status == status)
                    }
                    let metrics = try await metrics(server)

                    for (pipeline, status, count) in [("failing", "502", 1), ("good", "200", 2), ("good", "400", 1), ("", "404", 1)] {
                        let labels = ["pipeline": pipeline, "status": status]
                        #expect(metrics["pipe_run_requests_total", labels] == Double(count), "\(labels)")
                    }
                    #expect(metrics["pipe_run_request_seconds_count", ["pipeline": "good"]] == 3)
                    #expect(metrics["pipe_run_retries_total", "failing", "api"] == 2)
                    #expect(metrics["pipe_run_circuit_state", "failing", "api"] == 2)
                    #expect(metrics["pipe_run_circuit_state", "good", "flat"] == 0)
                    #expect(metrics.order.contains { $0.name == "pipe_run_build_info" && $0.labels["version"]?.isEmpty == false })
                }
            }
        }

        @Test func `each way to answer is counted once, and before the client has all of it`() async throws {
            let text = String(decoding: (0..<100_000).map { UInt8(ascii: "a") + UInt8($0 * $0 % 26) }, as: UTF8.self)
            let fields = "Content-Type: text/plain\r\nETag: \"1\"\r\nContent-Length: \(text.utf8.count)\r\n"
            try await OddServer.run(.bytes("HTTP/1.1 200 OK\r\n\(fields)\r\n\(text)")) { origin async throws in
                let folder = try WorkFolder(
                    """
                    sources: { memory: { type: memory }, api: { type: http, url: "${ORIGIN}" } }
                    pipelines: { friends: { format: text, tiers: [ { source: memory, ttl: 1h }, api ] } }
                    """)
                try await folder.serving(environment: ["ORIGIN": origin.url]) { server async throws in
                    func count(_ status: String) async throws -> Double {
                        try await metrics(server)["pipe_run_requests_total", ["pipeline": "friends", "status": status]] ?? 0
                    }
                    #expect(try await server.get("/friends").text == text)
                    #expect(try await count("200") == 1)
                    #expect(try await server.get("/friends", method: "HEAD").body.isEmpty)
                    #expect(try await count("200") == 2)
                    #expect(try await server.get("/friends", headers: ["Accept-Encoding": "gzip"])["Content-Encoding"] == "gzip")
                    #expect(try await count("200") == 3)
                    #expect(try await server.get("/friends", headers: ["If-None-Match": "\"1\""]).status == 304)
                    #expect(try await count("304") == 1)
                    #expect(try await count("200") == 3)
                }
            }
        }

        @Test func `a failing origin is counted, and logged from the level of warnings on`() async throws {
            try await OddServer.run(.status(500)) { origin in
                let folder = try WorkFolder(threeTiers)
                let ran = try await folder.serving("pipeline.yaml", "--log", "warning", environment: ["ORIGIN": origin.url]) { server in
                    let failed = try await server.get("/friends")
                    let metrics = try await metrics(server)
                    #expect(failed.status == 502)
                    #expect(metrics["pipe_run_errors_total", "friends", "api"] == 1)
                }

                let lines = ran.errors.split(separator: "\n").filter { !$0.hasPrefix("serving on") }
                #expect(lines.count == 1, "\(ran.errors)")
                let line = try #require(lines.first)
                #expect(
                    line.wholeMatch(
                        of:
                            /20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d\d\dZ warning attempt key=friends ms=[0-9.]+ outcome=error pipeline=friends reason=".*500.*" source=api/
                    ) != nil, "\(line)")
            }
        }

        /// To a place whose name has a secret that the server knows.
        private static let redirect = "HTTP/1.1 302 Found\r\nLocation: /s3cr3t-t0ken\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

        @Test func `at the level of debugging every step is a line, without payloads and secrets`() async throws {
            let replies: [OddServer.Reply] = [.value("[\"payload\"]"), .bytes(Self.redirect), .status(500)]
            try await OddServer.run({ _, number in replies[min(number, replies.count) - 1] }) { origin in
                let folder = try WorkFolder(
                    """
                    sources:
                      memory: { type: memory }
                      api: { type: http, url: "http://joe:${TOKEN}@127.0.0.1:${PORT}/", query: { user: "{user}" } }
                    pipelines:
                      friends: { parameters: [user], tiers: [ { source: memory, ttl: 30s }, api ] }
                    """)
                let environment = ["PORT": "\(origin.port)", "TOKEN": "s3cr3t-t0ken"]
                let ran = try await folder.serving("pipeline.yaml", "--log", "debug", environment: environment) { server in
                    let fetched = try await server.get("/friends?user=a%0Aoutcome=b")
                    let failed = try await server.get("/friends?user=2")
                    let metrics = try await server.get("/-/metrics")
                    #expect(fetched.status == 200 && failed.status == 502)
                    #expect(!metrics.text.contains("s3cr3t"))
                }

                let lines = ran.errors.split(separator: "\n").filter { !$0.hasPrefix("serving on") }.map { line in
                    line.split(separator: " ").dropFirst().prefix(2).joined(separator: " ")
                }
                #expect(
                    lines == [
                        "debug attempt", "debug attempt", "debug write", "debug fetch", "info request", "debug attempt", "warning attempt",
                        "debug fetch", "info request", "debug request",
                    ], "\(ran.errors)")
                #expect(ran.errors.contains("***"), "\(ran.errors)")
                #expect(!ran.errors.contains("payload") && !ran.errors.contains("s3cr3t"), "\(ran.errors)")
                #expect(ran.errors.contains("key=\"friends,user=a%0Aoutcome%3Db\""), "\(ran.errors)")
            }
        }

        @Test func `a level that is none ends with 64`() async throws {
            let ran = try await WorkFolder(ServeTests.formats).run("serve", "--port", "0", "--log", "loud")

            #expect(ran.status == 64 && ran.errors.contains("--log") && ran.errors.contains("warning"), "\(ran.errors)")
        }
    }
}

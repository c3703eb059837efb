import Foundation
import Testing

@testable import PipeRunKit
@testable import PipelineJSON

/// `pipe-run network`.
@Suite struct ServedOriginTests {
    private static let metrics = """
        # HELP pipe_run_origin_limit How many.
        # TYPE pipe_run_origin_limit gauge
        pipe_run_origin_limit{origin="https://b.example.org"} 12
        pipe_run_origin_limit{origin="https://a.example.org:8443"} 6
        pipe_run_origin_requests_under_way{origin="https://a.example.org:8443"} 3
        pipe_run_origin_requests_waiting{origin="https://a.example.org:8443"} 40
        pipe_run_origin_rest_seconds{origin="https://a.example.org:8443"} 18.2
        pipe_run_origin_source_rest_seconds{origin="https://a.example.org:8443",source="stock"} 3.1
        pipe_run_origin_source_rest_seconds{source="ads",origin="https://b.example.org"} 60
        pipe_run_origin_response_seconds{origin="https://a.example.org:8443",quantile="0.5"} 0.0123
        pipe_run_origin_response_seconds{quantile="0.95",origin="https://a.example.org:8443"} 0.25
        pipe_run_origin_error_ratio{origin="https://a.example.org:8443"} 0.25
        pipe_run_origin_retry_budget{origin="https://a.example.org:8443"} 3.4
        pipe_run_origin_hedges{origin="https://a.example.org:8443",outcome="sent"} 12
        pipe_run_origin_hedges{origin="https://a.example.org:8443",outcome="won"} 7
        pipe_run_loads_under_way{pipeline="friends"} 1
        pipe_run_origin_limit{origin="cut 7
        pipe_run_origin_limit 7
        pipe_run_origin_limit{pipeline="x"} 7
        pipe_run_origin_limit{origin="c"} many

        """

    @Test func `the metrics of serve are rows, the origins in the order of their names`() {
        let origins = ServedOrigin.all(in: Self.metrics)

        #expect(
            origins.map(\.row) == [
                ["https://a.example.org:8443", "6", "3", "40", "19s, stock 4s", "12.3 ms", "250 ms", "25%", "3.4", "7 of 12"],
                ["https://b.example.org", "12", "-", "-", "ads 1m", "-", "-", "-", "-", "-"],
            ])
        #expect(
            origins.first?.json.text
                == #"{"origin":"https://a.example.org:8443","limit":6,"under_way":3,"waiting":40,"rest_ms":18200,"source_rests_ms":{"stock":3100},"p50_ms":12.3,"p95_ms":250,"errors":0.25,"budget":3.4,"hedges":12,"hedges_won":7}"#
        )
    }

    @Test func `an origin's name may have any characters`() {
        let origins = ServedOrigin.all(in: #"pipe_run_origin_limit{origin="a\"b\\c,\n"} 1"#)

        #expect(origins.map(\.origin) == ["a\"b\\c,\n"])
        #expect(origins.first?.row.first?.contains("\n") == false)
    }
}

extension CommandLineTests {
    @Suite struct NetworkTests {
        private static let file = """
            sources:
              memory: { type: memory }
              disk: { type: file, path: "copies/{user}.json" }
              api: { type: http, url: "https://me:secret-9@API.example.org/users/{user}" }
              any: { type: http, url: "http://{user}.example.org:80/x" }
            pipelines:
              friends: { parameters: [user], tiers: [memory, disk, api] }
              others: { parameters: [user], tiers: [any] }
            """

        @Test func `without serve it names the origin of each pipeline, and no secret`() async throws {
            let folder = try WorkFolder(Self.file)

            let ran = try await folder.run("network")
            let one = try await folder.run("network", "others", "--format", "json")

            #expect(ran.status == 0)
            #expect(ran.lines.count == 3)
            #expect(ran.lines[0].hasPrefix("PIPELINE  SOURCE  ORIGIN"))
            #expect(ran.lines[1].hasPrefix("friends   api     https://api.example.org "))
            #expect(ran.lines[2].hasPrefix("others    any     http://{user}.example.org "))
            #expect(!ran.everything.contains("secret-9"))
            #expect(one.text.hasPrefix(#"{"origins":[{"pipeline":"others","source":"any","origin":null,"url":"http://{user}"#))
            #expect(one.text.contains(#""concurrency":"auto","queue":1000,"rest":"source","retry_budget":0.2"#))
        }

        @Test func `a pipeline that asks no server has none, and an unknown one is wrong usage`() async throws {
            let folder = try WorkFolder(
                "sources: { memory: { type: memory }, flat: { type: inline, value: 1 } }\npipelines: { friends: { tiers: [memory, flat] } }"
            )

            #expect(try await folder.run("network").text == "no pipeline asks a server\n")
            let unknown = try await folder.run("network", "frends")
            #expect(unknown.status == 64)
            #expect(unknown.errors.contains("did you mean `friends`?"))
        }

        @Test func `it reads the metrics of a running serve`() async throws {
            let folder = try WorkFolder(flatTiers)
            try await folder.serving { server in
                let text = try await folder.run("network", "--serve", server.url)
                let json = try await folder.run("network", "--serve", server.url + "/", "--format", "json")

                #expect(text.text == "no origin has been asked yet\n")
                #expect(json.text == "{\"origins\":[]}\n")
            }
        }

        @Test(arguments: ["SIGHUP", "--wake"]) func `rests are told, and end when someone says so`(end: String) async throws {
            let refusal = "HTTP/1.1 429 X\r\nContent-Length: 0\r\nRetry-After: 3600\r\n\r\n"
            try await OddServer.run({ request, _ in request.contains("Bearer one") ? .bytes(refusal) : .value("1") }) { origin in
                let folder = try WorkFolder(
                    """
                    sources: { api: { type: http, url: "\(origin.url)/", headers: { Authorization: "Bearer {token}" } } }
                    pipelines: { quota: { parameters: [token], tiers: [api] } }
                    """)
                try await folder.serving { server in
                    for token in ["one", "one", "two"] {
                        #expect(try await server.get("/quota?token=\(token)").status == (token == "one" ? 502 : 200))
                    }
                    #expect(origin.count == 2)
                    let text = try await folder.run("network", "--serve", server.url).text
                    #expect(text.contains("api 1h") || text.contains("api 59m"), "\(text)")

                    if end == "SIGHUP" {
                        server.process.send(SIGHUP)
                        try await until("the reload") { server.process.errors.text.contains("reloaded") }
                    } else {
                        let woken = try await folder.run("network", "--serve", server.url, "--wake")
                        #expect(woken.status == 0 && !woken.text.contains("api"), "\(woken.everything)")
                    }
                    #expect(try await server.get("/quota?token=one").status == 502)
                    #expect(origin.count == 3)
                    if end == "SIGHUP" { server.process.send(SIGTERM) }
                }
            }
        }

        @Test func `rests are ended with POST, and not by the page of another origin`() async throws {
            try await WorkFolder(flatTiers).serving { server in
                let woken = try await server.get("/-/wake", method: "POST")
                #expect(woken.status == 200 && woken.text.contains(#"{"ended":0}"#), "\(woken.text)")
                #expect(try await server.get("/-/wake", method: "POST", headers: ["Origin": "https://evil.example"]).status == 403)
                let read = try await server.get("/-/wake")
                #expect(read.status == 405 && read["Allow"] == "POST")
            }
        }

        @Test func `--wake needs the address of a serve`() async throws {
            let ran = try await WorkFolder(flatTiers).run("network", "--wake")
            #expect(ran.status == 64 && ran.errors.contains("--wake needs --serve"))
        }

        @Test func `sources that ask one origin have the strictest of their limits`() async throws {
            let folder = try WorkFolder(
                """
                sources:
                  users: { type: http, url: "https://api.example.org/users", limits: { concurrency: 4, rate: 600/m, burst: 3 }, resume: true }
                  posts: { type: http, url: "https://api.example.org:443/posts", limits: { queue: 10, rate: 50/s }, retry_budget: 5% }
                  likes: { type: http, url: "https://api.example.org:8443/likes", hedge: { after: 300ms } }
                pipelines:
                  users: { tiers: [users] }
                  posts: { tiers: [posts] }
                  likes: { tiers: [likes] }
                """)

            let lines = try await folder.run("network").lines
            let one = try await folder.run("network", "posts").lines

            // Within the fixed limit of the one, it follows what is measured for the other.
            let strictest = "concurrency { begin: 4, max: 4 }, queue 10, rate 600/m, burst 1, rest source, retry_budget 5%"
            #expect(lines[1] == "users     users   https://api.example.org       \(strictest), resume true")
            #expect(lines[2] == "posts     posts   https://api.example.org       \(strictest)")
            #expect(
                lines[3].hasSuffix("concurrency auto, queue 1000, rest source, retry_budget 0.2, hedge { after: 300ms, budget: 0.05 }"),
                "\(lines[3])")
            #expect(one.last?.hasSuffix(strictest) == true, "\(one)")
        }

        @Test func `a composite asks what its parts and their links ask`() async throws {
            let folder = try WorkFolder(
                """
                sources:
                  users: { type: http, url: "https://users.example.org/{id}", batch: { url: "https://users.example.org/?ids={id}", id: /id } }
                  posts: { type: http, url: "https://posts.example.org/{user}" }
                  ads: { type: http, url: "https://ads.example.org/" }
                pipelines:
                  user: { parameters: [id], tiers: [users] }
                  posts: { parameters: [user], tiers: [posts], links: { author: { at: "$[*].author_id", pipeline: user } } }
                  home: { parameters: [user], combine: { object: { posts: { pipeline: posts, follow: [author] } } } }
                  other: { tiers: [ads] }
                """)

            let home = try await folder.run("network", "home").lines

            #expect(home.dropFirst().map { $0.prefix { $0 != " " } } == ["user", "posts"])
            #expect(home.last?.contains("https://posts.example.org") == true)
            #expect(try await folder.run("network").lines.count == 4)
        }

        @Test func `a server that is none of ours is an error`() async throws {
            try await OddServer.run(.bytes("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nup\n")) { server in
                let ran = try await WorkFolder(flatTiers).run("network", "--serve", server.url)

                #expect(ran.status == 1 && ran.text.isEmpty)
                #expect(ran.errors.contains("what answers at \(server.url) is not `pipe-run serve`"), "\(ran.errors)")
            }
        }

        @Test func `it says when nothing answers there, and what a URL is`() async throws {
            let folder = try WorkFolder(flatTiers)

            let refused = try await folder.run("network", "--serve", "http://127.0.0.1:1")
            let odd = try await folder.run("network", "--serve", "nothing")

            #expect(refused.status == 1)
            #expect(refused.errors.contains("no metrics from http://127.0.0.1:1: connection refused"))
            #expect(odd.status == 64)
        }
    }
}

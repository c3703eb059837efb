import Foundation
import PipelineServer
import Testing

extension CommandLineTests {
    @Suite struct EnvelopeTests {
        @Test func `has the members of the contract in their order, on one line`() async throws {
            let folder = try WorkFolder(flatTiers)
            try folder.write("flat/4%202.json", "{ \"id\" : 1,\n  \"n\": [1.0, \"a  b\"]\n}\n")
            let arguments = ["fetch", "friends", "user=4 2", "--output", "envelope"]

            let cold = try await folder.start(arguments).ran()
            let warm = try await folder.start(arguments).ran()

            let head = #"{"pipeline":"friends","parameters":{"user":"4 2"},"outcome":"value","#
            let value = #""value":{"id":1,"n":[1.0,"a  b"]},"#
            #expect(cold.lines.count == 1 && cold.text.hasSuffix("}\n"))
            #expect(
                normalised(cold.text) == head + #""from":"flat","stale":false,"age_ms":0,"fresh_for_ms":null,"# + value
                    + #""tiers":[{"source":"memory","outcome":"miss","ms":0},{"source":"disk","outcome":"miss","ms":0},"#
                    + #"{"source":"flat","outcome":"hit","ms":0}],"#
                    + #""writes":[{"source":"memory","outcome":"written"},{"source":"disk","outcome":"written"}],"error":null}"#)
            #expect(
                normalised(warm.text) == head + #""from":"disk","stale":false,"age_ms":0,"fresh_for_ms":0,"# + value
                    + #""tiers":[{"source":"memory","outcome":"miss","ms":0},{"source":"disk","outcome":"hit","ms":0}],"#
                    + #""writes":[{"source":"memory","outcome":"written"}],"error":null}"#)
        }

        @Test func `not found and failed have no value`() async throws {
            let folder = try WorkFolder(flatTiers)
            let absent = try await folder.run("fetch", "people", "--output", "envelope")
            #expect(absent.status == 3)
            #expect(
                normalised(absent.text)
                    == #"{"pipeline":"people","parameters":{"user":"1"},"outcome":"not_found","from":null,"stale":false,"#
                    + #""age_ms":null,"fresh_for_ms":null,"value":null,"tiers":[{"source":"other","outcome":"miss","ms":0}],"writes":[],"error":null}"#
            )

            try await OddServer.run(.status(503)) { origin in
                let failed = try await WorkFolder(threeTiers).run(
                    "fetch", "friends", "--output", "envelope", "--order", "api", environment: ["ORIGIN": origin.url])
                let reason = "status 503 from \(origin.url)/friends"
                #expect(failed.status == 1)
                #expect(
                    normalised(failed.text) == #"{"pipeline":"friends","parameters":{},"outcome":"failed","from":null,"stale":false,"#
                        + #""age_ms":null,"fresh_for_ms":null,"value":null,"tiers":[{"source":"api","outcome":"error","ms":0,"reason":"\#(reason)"}],"#
                        + #""writes":[],"error":{"code":"every_tier_failed","message":"no tier could answer for `friends`: api: error (\#(reason))"}}"#
                )
            }
        }

        @Test func `an origin's not_found names it`() async throws {
            try await OddServer.run(.status(404)) { origin in
                let ran = try await WorkFolder(threeTiers).run(
                    "fetch", "friends", "--output", "envelope", environment: ["ORIGIN": origin.url])
                let envelope = try Envelope(ran)

                #expect(envelope.outcome == "not_found" && envelope.from == "api")
                #expect(envelope.tiers.map(\.outcome) == ["miss", "miss", "not_found"])
                #expect(envelope.writes.allSatisfy { $0.outcome == "skipped" && $0.reason?.isEmpty == false })
            }
        }

        @Test func `text and bytes stand under names of their own`() async throws {
            let folder = try WorkFolder(
                """
                sources:
                  flat: { type: file, path: payload, read_only: true }
                pipelines:
                  text: { format: text, tiers: [flat] }
                  bytes: { format: bytes, tiers: [flat] }
                """)
            try folder.write("payload", "a\"b\\\n\u{1}é\u{2028}")

            let text = try await folder.run("fetch", "text", "--output", "envelope").text
            let bytes = try await folder.run("fetch", "bytes", "--output", "envelope").text

            #expect(text.contains(#""value_text":"a\"b\\\n\u0001é\u2028","tiers""#))
            #expect(bytes.contains(#""value_base64":"YSJiXAoBw6nigKg=","tiers""#))
            #expect(!text.contains("\"value\":") && !bytes.contains("\"value\":"))
        }

        @Test func `a write is renewed where the cache holds the same, and counts from when the origin confirmed it`() async throws {
            try await OddServer.run({ _, number in number < 3 ? .value("[1]") : .status(500) }) { origin in
                let folder = try WorkFolder(threeTiers)
                let arguments = ["fetch", "friends", "--output", "envelope", "--order", "api,disk"]
                _ = try await folder.start(arguments, environment: ["ORIGIN": origin.url]).ran()
                let before = folder.files(below: ".cache").sorted()
                let envelope = try Envelope(await folder.start(arguments, environment: ["ORIGIN": origin.url]).ran())
                let inOutage = try Envelope(await folder.start(arguments, environment: ["ORIGIN": origin.url]).ran())

                #expect(envelope.writes.map(\.source) == ["disk"])
                #expect(envelope.writes.map(\.outcome) == ["renewed"])
                #expect(inOutage.from == "disk")
                #expect(folder.files(below: ".cache").sorted() == before)
            }
        }

        @Test func `attempts that are skipped, timed out, invalid or stale say why`() async throws {
            try await OddServer.run(.silence) { origin in
                let folder = try WorkFolder(
                    """
                    sources:
                      disk: { type: file, path: ".cache/{key}.json" }
                      late: { type: http, url: "${ORIGIN}" }
                      flat: { type: file, path: flat.json, read_only: true }
                    pipelines:
                      friends: { tiers: [ { source: disk, ttl: 1h, read: false }, { source: late, timeout: 50ms }, flat ] }
                    """)
                try folder.write("flat.json", "{")
                let ran = try await folder.run("fetch", "friends", "--output", "envelope", environment: ["ORIGIN": origin.url])
                let envelope = try Envelope(ran)

                #expect(envelope.tiers.map(\.outcome) == ["skipped", "timeout", "invalid"])
                #expect(envelope.tiers.allSatisfy { $0.reason?.isEmpty == false })
                #expect(envelope.error?.code == "every_tier_failed")
            }
        }

        @Test func `a stale copy says so, with its reason`() async throws {
            try await OddServer.run({ _, number in number == 1 ? .value("[1]") : .status(500) }) { origin in
                let folder = try WorkFolder(
                    """
                    sources:
                      disk: { type: file, path: ".cache/{key}.json" }
                      api: { type: http, url: "${ORIGIN}" }
                    pipelines:
                      friends:
                        stale_if_error: 1h
                        tiers: [ { source: disk, ttl: 1ms }, api ]
                    """)
                let arguments = ["fetch", "friends", "--output", "envelope"]
                _ = try await folder.start(arguments, environment: ["ORIGIN": origin.url]).ran()
                let ran = try await folder.start(arguments, environment: ["ORIGIN": origin.url]).ran()
                let envelope = try Envelope(ran)

                #expect(ran.status == 0)
                #expect(envelope.outcome == "value" && envelope.from == "disk" && envelope.stale)
                #expect(envelope.freshFor == 0)
                #expect(envelope.tiers.map(\.outcome) == ["stale", "error"])
                #expect(envelope.tiers.allSatisfy { $0.reason?.isEmpty == false })
            }
        }
    }
}

import Foundation
import Testing

extension CommandLineTests {
    @Suite struct ExplainTests {
        @Test func `explains all pipelines, or one, or one in another order`() async throws {
            let folder = try WorkFolder(flatTiers)

            let all = try await folder.run("explain")
            let one = try await folder.run("explain", "people")
            let turned = try await folder.run("explain", "friends", "--order", "other,disk")

            #expect(
                all.status == 0 && all.errors == "" && all.text.contains("A fetch of `friends` asks")
                    && all.text.contains("A fetch of `people`"))
            #expect(
                one.text.hasPrefix(
                    "people(user = 1)\n\nWhat is asked\n  A fetch of `people` asks `other` (file) and nothing else.  [pipeline.yaml:15]\n"))
            #expect(turned.text.contains("asks `other` (file) first, then `disk` (file), and stops at the first answer.  [--order]"))
        }

        @Test(arguments: [30, 72, 400]) func `on a terminal lines are broken at its width, and say the same`(columns: Int) async throws {
            let folder = try WorkFolder(flatTiers.replacing("tiers:", with: "description: what 友達 like\n    tiers:"))
            let environment = ["COLUMNS": "\(columns)"]

            let whole = try await folder.run("explain", environment: environment).text
            let process = try folder.start(["--color", "never", "explain"], environment: environment, output: .terminal)
            let broken = try await process.ran().errors.replacing("\r\n", with: "\n")

            func words(_ text: String) -> [Substring] { text.split { $0 == " " || $0 == "\n" } }
            let lines = broken.split(separator: "\n")
            #expect(words(broken) == words(whole), "\(broken)")
            #expect(lines.allSatisfy { $0.count <= columns || words(String($0)).count == 1 }, "\(broken)")
            #expect(lines.allSatisfy { !$0.hasSuffix(" ") })
            #expect((broken == whole) == (columns == 400))
        }

        @Test func `quotes the line that decided`() async throws {
            let ran = try await WorkFolder(flatTiers).run("explain", "friends")

            #expect(
                ran.text.contains(
                    "is fresh for 10m after it was written there, and never longer than the copy that it was made from.  [pipeline.yaml:11]"
                ))
            #expect(
                ran.text.contains("A value is served as fresh for at most 10m after an origin gave or confirmed it.  [pipeline.yaml:11]"))
        }

        @Test func `second requests, resumed downloads and the budget are explained where the file has them`() async throws {
            func said(_ fields: String) async throws -> String {
                let file = """
                    sources:
                      api: { type: http, url: "http://h/", \(fields) }
                    pipelines: { friends: { tiers: [api] } }
                    """
                return try await WorkFolder(file).run("explain").text
            }

            let all = try await said("hedge: { after: 300ms }, resume: true, retry_budget: 10%")
            let other = try await said("hedge: { after: p91, at_most: 2s, budget: 9% }, resume: false")
            let none = try await said("retry_budget: 0")
            let plain = try await said("timeout: 2s")

            let place = "  [pipeline.yaml:2]\n"
            #expect(
                all.contains(
                    "When `api` has not begun to answer after 300ms, a second request is sent, for at most 5% more requests; the first good answer counts."
                        + place), "\(all)")
            #expect(
                all.contains(
                    "An interrupted download from `api` resumes when the key is requested again, if the server supports it."
                        + place))
            #expect(
                all.contains(
                    "Retries and second requests to `api` have a budget: 5 in reserve, and 0.1 more for each request that does not fail, up to 5 again."
                        + place))
            #expect(
                other.contains(
                    "after 1.2 times the 91st percentile of the last 200 times (at most 2s), a second request is sent, for at most 9% more requests;"
                ), "\(other)")
            #expect(none.contains("No request to `api` is retried or sent twice: the budget for that is 0." + place))
            for text in [other, none, plain] { #expect(!text.contains("breaks off") && !text.contains("in reserve")) }
        }

        @Test func `variables in a URL need not be set, those of a policy must`() async throws {
            let url = try await WorkFolder(threeTiers).run("explain")
            let policy = try await WorkFolder(threeTiers.replacing("ttl: 30s", with: "ttl: \"${TTL}\"")).run("explain")
            let set = try await WorkFolder(threeTiers.replacing("ttl: 30s", with: "ttl: \"${TTL}\"")).run(
                "explain", environment: ["TTL": "7s"])

            #expect(url.status == 0 && url.errors == "" && url.text.contains("then `api` (http)"))
            #expect(
                policy.status == 2 && policy.text == "" && policy.errors.contains("`TTL` is not set") && !policy.errors.contains("ORIGIN"))
            #expect(set.status == 0 && set.text.contains("fresh for 7s"))
        }

        @Test func `JSON has sections of sentences with what decided them`() async throws {
            let ran = try await WorkFolder(flatTiers).run("explain", "friends", "--format", "json")

            let object = try #require(try JSONSerialization.jsonObject(with: Data(ran.output)) as? [String: Any])
            let pipeline = try #require((object["pipelines"] as? [[String: Any]])?.first)
            #expect(pipeline["name"] as? String == "friends" && pipeline["order"] as? [String] == ["memory", "disk", "flat"])
            let sections = try #require(pipeline["sections"] as? [[String: Any]])
            #expect(
                sections.map { $0["id"] as? String } == [
                    "asking", "freshness", "stale", "write_back", "age", "failure", "time", "not_found",
                ])
            let sentence = try #require((sections[1]["sentences"] as? [[String: Any]])?.first)
            let place = try #require((sentence["decided_by"] as? [[String: Any]])?.first)
            #expect(place["file"] as? String == "pipeline.yaml" && place["line"] as? Int == 10)
        }

        @Test func `a secret shows nowhere`() async throws {
            let config = """
                sources: { api: { type: http, url: "http://h/{user}", headers: { X: "${TOKEN}" } } }
                pipelines: { p: { description: "it is ${TOKEN}", parameters: { user: { default: "${TOKEN}" } }, tiers: [api] } }
                """
            for arguments in [["explain"], ["explain", "--format", "json"], ["config"]]
                + GraphTests.formats.map({ ["graph", "--level", "env", "--format", $0] })
            {
                let ran = try await WorkFolder(config).start(arguments, environment: ["TOKEN": "t0p53cr3t"]).ran()
                #expect(ran.status == 0 && !ran.everything.contains("t0p53cr3t"), "\(arguments): \(ran.everything)")
            }
        }

        @Test(arguments: [
            (["frends"], "did you mean `friends`?"), (["--order", "disk"], "name of a pipeline"),
            (["friends", "--order", "dsk"], "`disk`"),
        ])
        func `wrong usage ends with 64`(arguments: [String], words: String) async throws {
            let ran = try await WorkFolder(flatTiers).start(["explain"] + arguments).ran()

            #expect(ran.status == 64 && ran.text == "" && ran.errors.contains(words), "\(ran.errors)")
        }

        @Test func `leaves no trace on the disk`() async throws {
            let folder = try WorkFolder(flatTiers)
            let before = try folder.contents()

            for command in [["explain"], ["config"], ["graph", "--format", "svg"], ["graph", "--diff", "pipeline.yaml"]] {
                #expect(try await folder.start(command).ran().status == 0)
            }

            #expect(try folder.contents() == before)
        }
    }

    @Suite struct ConfigCommandTests {
        @Test func `prints what can be used in place of the file`() async throws {
            let folder = try WorkFolder(threeTiers)

            let ran = try await folder.run("config", environment: ["ORIGIN": "http://127.0.0.1:1"])
            try folder.write("again.yaml", ran.output)
            let again = try await folder.run("config", "-c", "again.yaml")
            let drawn = try await folder.run("graph", "-c", "again.yaml")

            #expect(ran.status == 0 && ran.errors == "" && again.status == 0)
            #expect(
                ran.text.contains("url: http://127.0.0.1:1/friends") && ran.text.contains("# pipeline.yaml:4, from the environment: ORIGIN")
            )
            #expect(try await folder.run("graph").text == drawn.text)
        }

        @Test func `a file with errors ends with 2`() async throws {
            let ran = try await WorkFolder(threeTiers.replacing("type: memory", with: "type: memroy")).run("config")

            #expect(ran.status == 2 && ran.text == "" && ran.errors.contains("error[P106]"), "\(ran.everything)")
        }
    }
}

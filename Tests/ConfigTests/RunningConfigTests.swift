import PipelineYAML
import Testing

@testable import Pipeline
@testable import PipelineConfig

/// Which pipelines stay when another configuration takes over.
@Suite struct RunningConfigTests {
    private static let text = """
        sources:
          memory: { type: memory, max_entries: 10 }
          api: { type: http, url: "${API}/{user}", headers: { Authorization: "Bearer ${file:token.txt}", Accept: text/plain } }
          other: { type: http, url: "${API}/other" }
        pipelines:
          friends: { parameters: [user], tiers: [{ source: memory, ttl: 30s }, api] }
          others: { tiers: [other] }
        """

    private func read(_ text: String, _ variables: [String: String] = [:], token: String = "s3cret-one") throws -> (
        ConfigReport, EffectiveConfig
    ) {
        let environment = ConfigEnvironment(
            variable: { variables[$0] ?? Reading.variables[$0] },
            file: { $0 == "token.txt" ? .success(token) : .failure(ConfigEnvironment.FileProblem("no such file")) })
        let report = Reading.report(text, environment: environment)
        #expect(!report.diagnostics.hasErrors, "\(report.diagnostics.map(\.message))")
        return (report, EffectiveConfig(report, folder: "", plugins: Reading.plugins, environment: environment))
    }

    /// The pipelines that are the same objects after `text` took over.
    private func kept(_ text: String, _ variables: [String: String] = [:], token: String = "s3cret-one") async throws -> Set<String> {
        let (report, effective) = try read(Self.text)
        let before = try RunningConfig(report, effective, redactor: Redactor())
        let (next, nextEffective) = try read(text, variables, token: token)
        let after = try before.succeeded(by: next, nextEffective)
        let old = before.pipelines.all
        await after.pipelines.shutDown()
        return Set(after.pipelines.all.filter { pipeline in old.contains { $0 === pipeline } }.map(\.spec.name))
    }

    @Test func `comments, places, order and defaults that are written out count for nothing`() async throws {
        let moved = """
            # The same.
            pipelines:
              others:
                tiers:
                  - other   # as before
              friends:
                tiers: [{ ttl: 30s, source: memory }, api]
                parameters: [user]
                format: json
            sources:
              other: { url: "${API}/other", type: http }
              api:
                type: http
                headers: { Accept: text/plain, Authorization: "Bearer ${file:token.txt}" }
                url: "${API}/{user}"
              memory: { max_entries: 10, type: memory }
            """
        #expect(try await kept(Self.text) == ["friends", "others"])
        #expect(try await kept(moved) == ["friends", "others"])
    }

    @Test func `a value of a variable or of a file is a part of what is declared`() async throws {
        #expect(try await kept(Self.text, ["API": "http://127.0.0.1:9"]) == [])
        #expect(try await kept(Self.text, token: "s3cret-two") == ["others"])
    }

    @Test(
        arguments: [
            ("max_entries: 10", "max_entries: 11", ["others"]), ("ttl: 30s", "ttl: 31s", ["others"]),
            ("Accept: text/plain", "Accept: text/html", ["others"]),
            ("parameters: [user]", "parameters: { user: { default: me } }", ["others"]),
            ("tiers: [other]", "deadline: 5s, tiers: [other]", ["friends"]), ("[{ source: memory, ttl: 30s }, api]", "[api]", ["others"]),
            ("  others: { tiers: [other] }", "  new: { tiers: [other] }", ["friends"]),
        ] as [(String, String, Set<String>)])
    func `what is declared otherwise is made anew, and nothing else`(part: String, other: String, kept: Set<String>) async throws {
        let text = Self.text.replacing(part, with: other)
        #expect(text != Self.text)
        #expect(try await self.kept(text) == kept)
    }

    @Test func `a secret that is masked in another place makes no difference there`() async throws {
        let text = Self.text.replacing("\"${API}/other\"", with: "\"${API}/other\", headers: { Accept: text/plain }")
        let (report, effective) = try read(text)
        let before = try RunningConfig(report, effective, redactor: Redactor())
        // The token of `api` is masked in the header of `other`, too.
        let (next, nextEffective) = try read(text, token: "text/plain")
        let after = try before.succeeded(by: next, nextEffective)

        #expect(try after.pipelines.pipeline(named: "others") === before.pipelines.pipeline(named: "others"))
        await after.pipelines.shutDown()
    }

    @Test func `an environment record gives the answers that it gave first, and tells when they are outdated`() {
        let (first, second) = (ConfigEnvironment(variable: { _ in "1" }, file: { _ in .success("a") }), ConfigEnvironment(["X": "2"]))
        let record = EnvironmentRecord()
        #expect(record.of(first).variable("X") == "1" && (try? record.of(first).file("t").get()) == "a")

        #expect(record.of(second).variable("X") == "1" && (try? record.of(second).file("t").get()) == "a")
        #expect(record.files == ["t"])
        #expect(record.isOutdated(in: second) && !record.isOutdated(in: first))
    }

    @Test(
        arguments: [
            ("nothing", "nothing", ["friends", "others", "home", "page"]), ("Accept: text/plain", "Accept: text/html", ["others"]),
            ("{ f: friends }", "{ g: friends }", ["friends", "others"]),
        ] as [(String, String, Set<String>)])
    func `a composite stays as long as all that it is made from`(part: String, other: String, kept: Set<String>) async throws {
        let text =
            Self.text
            + "\n  home: { parameters: [user], combine: { object: { f: friends } } }\n  page: { parameters: [user], combine: { of: home } }\n"
        let (report, effective) = try read(text)
        let before = try RunningConfig(report, effective, redactor: Redactor())
        let (next, nextEffective) = try read(text.replacing(part, with: other))

        let after = try before.succeeded(by: next, nextEffective)

        let old = before.pipelines.all
        await after.pipelines.shutDown()
        #expect(Set(after.pipelines.all.filter { pipeline in old.contains { $0 === pipeline } }.map(\.spec.name)) == kept)
    }
}

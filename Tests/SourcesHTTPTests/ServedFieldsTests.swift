import NIOHTTP1
import PipelineTesting
import Synchronization
import Testing

/// What `serve` says of values whose origin says how long they are fresh.
@Suite(.timeLimit(.minutes(15)))
struct ServedFieldsTests {
    /// What `serve` answers to two requests for one value, with so much time between them.
    private func answers(
        _ fields: [String], after pause: Duration, as mode: SuiteMode = .private, conditions: [(String, String)] = []
    ) async throws -> (first: SuiteAnswer, second: SuiteAnswer) {
        let time = ManualClock()
        let cache = SuiteCache(mode, time: time)
        var answers: [SuiteAnswer] = []
        try await ScriptedServer.run({ _ in Answer.text("one", headers: fields) }) { server async throws in
            let part = SuiteFile.Part(name: "friends", origin: server.url, accepted: [], servesStale: false, upstream: [])
            for (index, conditions) in [[], conditions].enumerated() {
                if index > 0 { time.advance(by: pause) }
                let question = SuitePlay.Question(target: "/friends", conditions: conditions.map { (name: $0.0, value: $0.1) })
                answers.append(try SuiteAnswer(try await cache.answer(question, by: part), bare: nil))
            }
            await cache.end()
        }
        return (answers[0], answers[1])
    }

    @Test(arguments: [
        ("max-age=60", "max-age=60"), ("max-age=60, must-revalidate", "max-age=60, must-revalidate"),
        ("max-age=60, proxy-revalidate", "max-age=60, proxy-revalidate"), ("private, max-age=60", "max-age=60, private"),
        ("public, max-age=60, immutable, odd=1", "max-age=60"), ("no-store, max-age=60", "no-store"), ("no-cache, max-age=60", "no-cache"),
        ("no-cache=\"Set-Cookie\", must-revalidate", "no-cache, must-revalidate"), ("s-maxage=60, max-age=5", "max-age=5"),
    ])
    func `what the origin says holds for copies of clients, too, from the cache and from the origin`(said: String, served: String)
        async throws
    {
        let (first, second) = try await answers(["Cache-Control: \(said)"], after: .milliseconds(3_900))

        #expect(first["Cache-Control"] == served)
        #expect(second["Cache-Control"] == served)
        #expect(first["Age"] == "0")
        #expect(second["Age"] == (served.contains("max-age") ? "3" : "0"))
    }

    @Test(arguments: [
        ("private, max-age=60", "max-age=60, private"), ("s-maxage=60, max-age=5", "max-age=60, must-revalidate"),
        ("proxy-revalidate, max-age=60", "max-age=60, must-revalidate, proxy-revalidate"),
    ])
    func `a value that a shared cache must not keep is said to be for the cache of one user`(said: String, served: String) async throws {
        let (first, second) = try await answers(["Cache-Control: \(said)"], after: .zero, as: .shared)

        #expect(first["Cache-Control"] == served && second["Cache-Control"] == served)
    }

    @Test func `Age counts from when the origin made the value, and Date says when that was`() async throws {
        let (first, second) = try await answers(["Cache-Control: max-age=60", "Age: 20"], after: .seconds(10))

        #expect(first["Age"] == "20" && first["Date"] == "Wed, 31 Dec 2025 23:59:40 GMT")
        #expect(second["Age"] == "30" && second["Date"] == first["Date"])
        #expect(first["Cache-Control"] == "max-age=60" && second["Cache-Control"] == "max-age=60")
    }

    @Test func `nothing is left of a stale value`() async throws {
        let (first, second) = try await answers(["Cache-Control: max-age=10, stale-while-revalidate=60"], after: .seconds(15))

        #expect(first["Cache-Control"] == "max-age=10")
        #expect(second["Age"] == "15" && second["Cache-Control"] == "max-age=15")
    }

    @Test func `a value that varies by more than its request is for no cache`() async throws {
        let (first, second) = try await answers(["Cache-Control: max-age=60", "Vary: *"], after: .zero)

        #expect(first["Cache-Control"] == "no-store" && second["Cache-Control"] == "no-store")
    }

    @Test func `an answer of 304 says the same as one of 200`() async throws {
        let fields = ["Cache-Control: max-age=60", "ETag: \"1\"", "Last-Modified: Wed, 31 Dec 2025 12:00:00 GMT"]
        let (first, second) = try await answers(fields, after: .seconds(5), conditions: [("If-None-Match", "\"1\"")])

        #expect(first.status == 200 && first["ETag"] == "\"1\"" && first["Last-Modified"] == "Wed, 31 Dec 2025 12:00:00 GMT")
        #expect(second.status == 304 && second.body == "")
        #expect(second["Cache-Control"] == "max-age=60" && second["Age"] == "5" && second["ETag"] == "\"1\"")
        #expect(second["Date"] == first["Date"])
    }
}

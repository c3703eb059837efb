import Pipeline
import PipelineConfig
import PipelineTesting
import PipelineYAML
import SourcesMemory
import Synchronization
import Testing

@testable import PipelineReports

/// What `validate --level connect` finds, with sources that say what a test wants.
@Suite(.timeLimit(.minutes(15)))
struct SourceCheckTests {
    private static func report(_ text: String, _ plugins: [SourcePlugin]) -> ConfigReport {
        Reading.report(text, level: .connect, plugins: plugins + [.memory])
    }

    private static let two = """
        sources:
          one: { type: checked, url: "http://one/" }
          two: { type: checked, url: "http://two/" }
        pipelines: { p: { tiers: [one, two] } }
        """

    @Test func `a source that is reached is no problem, and each is closed`() async {
        let closed = Mutex(0)
        let plugin = SourcePlugin.checked(onClose: { closed.withLock { $0 += 1 } }, { _ in .reachable })

        let checks = await Self.report(Self.two, [plugin]).checkSources()

        #expect(checks.map(\.source) == ["one", "two"])
        #expect(checks.map(\.outcome) == [.reachable, .reachable])
        #expect(checks.allSatisfy { $0.diagnostic == nil })
        #expect(closed.withLock { $0 } == 2)
    }

    @Test func `what cannot be reached and what refuses are told apart, at the value that says where it is`() async {
        let marked = MarkedText(
            """
            sources:
              one: { type: checked, url: 1️⃣"http://one/"2️⃣ }
              two: { type: checked, url: &two 3️⃣"http://two/"4️⃣ }
            pipelines: { p: { tiers: [one, two] } }
            """)
        let plugin = SourcePlugin.checked { name in
            if name == "one" { throw SourceError("connection refused by one:80") }
            throw SourceError("status 401 from http://two/", kind: .refused)
        }

        let diagnostics = await Self.report(marked.text, [plugin]).checkSources().compactMap(\.diagnostic)

        #expect(diagnostics.map(\.code) == [.cannotConnect, .connectionRefused])
        #expect(diagnostics.map(\.severity) == [.error, .error])
        #expect(diagnostics.map(\.range) == [marked["1️⃣", "2️⃣"], marked["3️⃣", "4️⃣"]])
        #expect(
            diagnostics.map(\.message) == [
                "cannot connect to the source `one`: connection refused by one:80",
                "the source `two` refuses: status 401 from http://two/",
            ])
        #expect(diagnostics.first?.help == "make it reachable, or correct `url`")
    }

    @Test func `a source that knows what is to be done says so in the help, without secrets`() async {
        let text = """
            sources:
              one: { type: checked, url: "http://one/", password: s3cr3t-word }
            pipelines: { p: { tiers: [one] } }
            """
        let plugin = SourcePlugin.checked { _ in throw SourceError("not for you", kind: .refused, help: "allow it to s3cr3t-word") }

        let checks = await Self.report(text, [plugin]).checkSources()

        #expect(checks.map(\.diagnostic?.message) == ["the source `one` refuses: not for you"])
        #expect(checks.map(\.diagnostic?.help) == ["allow it to ***"])
    }

    @Test func `a URL behind an alias and from a variable names both`() async {
        let marked = MarkedText(
            """
            sources:
              one: { type: checked, url: &api 1️⃣"${API}/friends"2️⃣ }
              two: { type: checked, url: 3️⃣*api4️⃣ }
            pipelines: { p: { tiers: [one, two] } }
            """)
        let plugin = SourcePlugin.checked { _ in throw SourceError("nobody there") }

        let diagnostics = await Self.report(marked.text, [plugin]).checkSources().compactMap(\.diagnostic)

        #expect(diagnostics.map(\.range) == [marked["1️⃣", "2️⃣"], marked["1️⃣", "2️⃣"]])
        let quoted = marked["1️⃣", "2️⃣"].start
        let variable = TextRange(
            TextPosition(line: quoted.line, column: quoted.column + 1), TextPosition(line: quoted.line, column: quoted.column + 7))
        #expect(diagnostics[1].related.map(\.range) == [variable, marked["3️⃣", "4️⃣"]])
        #expect(diagnostics[0].related.map(\.message) == ["the value comes from the environment variable `API`"])
    }

    @Test func `all are asked at once`() async {
        let gate = Gate()
        let plugin = SourcePlugin.checked { _ in
            try await gate.wait()
            return .reachable
        }

        async let checks = Self.report(Self.two, [plugin]).checkSources()
        await gate.waiters(atLeast: 2)
        gate.open()

        #expect(await checks.map(\.outcome) == [.reachable, .reachable])
    }

    @Test func `of many sources each is asked, in the order of the file`() async {
        let names = (0..<200).map { "s\($0)" }
        let sources = names.map { "  \($0): { type: checked, url: 'http://h/' }" }.joined(separator: "\n")
        let text = "sources:\n\(sources)\npipelines: { p: { tiers: [\(names.joined(separator: ", "))] } }\n"

        let checks = await Self.report(text, [.checked { _ in .reachable }]).checkSources()

        #expect(checks.map(\.source) == names)
    }

    @Test func `one that hangs and ignores its cancellation is given up at the shortest limit of its tiers`() async {
        let time = ManualClock()
        let gate = Gate()
        let text = """
            sources: { one: { type: checked, url: "http://one/" } }
            pipelines:
              p: { tiers: [{ source: one, timeout: 5s }] }
              q: { tiers: [{ source: one, timeout: 2s }] }
            """
        let plugin = SourcePlugin.checked { _ in
            while (try? await gate.wait()) == nil {}
            return .reachable
        }
        let report = Self.report(text, [plugin])

        async let checks = report.checkSources(clock: time.clock)
        await time.sleepers(atLeast: 1)
        time.advance(by: .seconds(2))
        let outcomes = await checks.map(\.outcome)
        gate.open()

        #expect(outcomes == [.cannotConnect("no answer within 2s")])
    }

    @Test func `without a limit in the file it is 30 s`() async {
        let time = ManualClock()
        let plugin = SourcePlugin.checked { _ in
            try await Gate().wait()
            return .reachable
        }
        let report = Self.report(Self.two, [plugin])

        async let checks = report.checkSources(clock: time.clock)
        await time.sleepers(atLeast: 2)
        time.advance(by: .seconds(30))

        let done = await checks
        #expect(done.map(\.outcome) == [.cannotConnect("no answer within 30s"), .cannotConnect("no answer within 30s")])
        #expect(done.map(\.duration) == [.seconds(30), .seconds(30)])
    }

    @Test func `a source with a problem of its own is not asked, and the others are`() async {
        let text = """
            sources:
              one: { type: checked, url: "http://one/", password: "${NO}" }
              two: { type: checked, url: "http://two/" }
              three: { type: chequed, url: "http://three/" }
              four: { type: checked, url: "http://four/", colour: blue }
            pipelines: { p: { tiers: [one, two, nowhere] } }
            """
        let asked = Mutex<[String]>([])
        let plugin = SourcePlugin.checked { name in
            asked.withLock { $0.append(name) }
            return .reachable
        }

        let report = Self.report(text, [plugin])
        let checks = await report.checkSources()

        #expect(report.diagnostics.hasErrors)
        #expect(checks.map(\.source) == ["two"])
        #expect(asked.withLock { $0 } == ["two"])
    }

    @Test func `secrets are masked in what a source says`() async {
        let text = """
            sources: { one: { type: checked, url: "http://me:${PASSWORD}@one/", password: "${TOKEN}" } }
            pipelines: { p: { tiers: [one] } }
            """
        let plugin = SourcePlugin.checked { _ in throw SourceError("no `s3cr3t-token-value`, no p@ss/w?rd#1", kind: .refused) }

        let checks = await Self.report(text, [plugin]).checkSources()

        #expect(checks.map(\.outcome) == [.refused("no `***`, no ***")])
        #expect(checks.first?.diagnostic?.message == "the source `one` refuses: no `***`, no ***")
    }

    @Test func `one that cannot tell is untried, and memory is always at hand`() async {
        let silent = SourcePlugin(origin: "silent", summary: "Does not tell.", fields: Field("a", default: 1, "Something.")) { _, _ in
            StubOrigin(clock: ManualClock().clock)
        }
        let text = """
            sources: { memory: { type: memory }, one: { type: silent } }
            pipelines: { p: { tiers: [memory, one] } }
            """

        let checks = await Self.report(text, [silent]).checkSources()

        #expect(checks.map(\.outcome) == [.reachable, .untried("sources of the type silent do not tell")])
        #expect(checks.allSatisfy { $0.diagnostic == nil })
    }

    @Test func `one that cannot be made is a problem at its name`() async {
        let marked = MarkedText("sources: { 1️⃣one2️⃣: { type: torn } }\npipelines: { p: { tiers: [one] } }\n")
        let torn = SourcePlugin(origin: "torn", summary: "Cannot be made.", fields: Field("a", default: 1, "Something.")) { _, _ in
            throw SourceError("there is no such device")
        }

        let diagnostics = await Self.report(marked.text, [torn]).checkSources().compactMap(\.diagnostic)

        #expect(diagnostics.map(\.code) == [.cannotConnect])
        #expect(diagnostics.map(\.range) == [marked["1️⃣", "2️⃣"]])
        #expect(diagnostics.first?.help == "make it reachable")
    }
}

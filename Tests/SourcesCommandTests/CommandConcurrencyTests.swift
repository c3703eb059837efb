import Pipeline
import PipelineConfig
import PipelineTesting
import PipelineYAML
import SourcesCommand
import Testing

/// How many programs of one source run at a time.
@Suite(.timeLimit(.minutes(15))) struct CommandConcurrencyTests {
    /// Says that it runs, and goes on when the test says so.
    private static let script =
        "echo $$ > \"running-$1\"; while [ ! -e \"end-$1\" ] && [ ! -e end ]; do sleep 0.02; done; printf '%s' \"$1\""

    let folder: ScriptFolder

    init() throws {
        folder = try ScriptFolder()
    }

    private func source(concurrency: Int, timeout: Duration = .seconds(60), clock: PipelineClock = .system) throws -> CommandSource {
        try folder.source(Self.script, ["{user}"], timeout: timeout, concurrency: concurrency, clock: clock)
    }

    private func key(_ number: Int) -> Key { Key(pipeline: "friends", parameters: ["user": "\(number)"]) }

    private func running(of count: Int) -> [Int] { (0..<count).filter { folder.text(of: "running-\($0)") != nil } }

    @Test func `only so many run at a time, and each read gets its value`() async throws {
        let source = try source(concurrency: 3)

        let texts = try await withThrowingTaskGroup(of: String?.self) { group in
            for number in 0..<30 { group.addTask { try await source.text(key(number)) } }
            #expect(await Processes.comesTrue { running(of: 30).count == 3 })
            // Each that ends makes room for one more.
            for ended in 1...5 {
                let first = try #require(running(of: 30).first { folder.text(of: "end-\($0)") == nil })
                try folder.put("", into: "end-\(first)")
                #expect(await Processes.comesTrue { running(of: 30).count >= 3 + ended })
                #expect(running(of: 30).count == 3 + ended)
            }
            try folder.put("", into: "end")
            return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }

        #expect(texts == Set((0..<30).map { "\($0)" }))
    }

    @Test func `a read that waits for its turn too long fails with the reason, and starts nothing`() async throws {
        let time = ManualClock()
        // It takes its time to end, so that its turn does not come free in the moment in which the other gives up.
        let source = try folder.source("trap '' TERM; " + Self.script, ["{user}"], timeout: .seconds(30), concurrency: 1, clock: time.clock)
        let first = Task { await source.failure(key(0)) }
        #expect(await Processes.comesTrue { running(of: 1) == [0] })
        let second = Task { await source.failure(key(1)) }
        await time.sleepers(atLeast: 2)

        time.advance(by: .seconds(30))

        #expect(await second.value == "/bin/sh was not started within 30s: `concurrency` is 1, and as many were running")
        #expect(await first.value == "/bin/sh did not end within 30s")
        #expect(folder.text(of: "running-1") == nil)
    }

    @Test func `a read that is cancelled while it waits leaves at once, and its turn goes to the next`() async throws {
        let source = try source(concurrency: 1)
        let first = Task { try await source.text(key(0)) }
        #expect(await Processes.comesTrue { running(of: 1) == [0] })
        let waiting = Task { try await source.text(key(1)) }
        let next = Task { try await source.text(key(2)) }

        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        try folder.put("", into: "end")

        #expect(try await first.value == "0")
        #expect(try await next.value == "2")
        #expect(folder.text(of: "running-1") == nil)
    }

    @Test func `a fetch that is cancelled ends its program, and starts none when it waits`() async throws {
        try folder.put(Self.script, into: "script.sh")
        let text = """
            sources:
              program: { type: command, command: [sh, script.sh, "{user}"], concurrency: 1 }
            pipelines:
              friends: { parameters: [user], tiers: [program] }
            """
        let report = ConfigFile(text: Array(text.utf8), name: "pipeline.yaml", folder: folder.path).report(plugins: [.command])
        let pipelines = try Pipelines(report)
        let friends = try pipelines.pipeline(named: "friends")
        let first = Task { try await friends.fetch(["user": "0"]) }
        #expect(await Processes.comesTrue { running(of: 1) == [0] })
        let waiting = Task { try await friends.fetch(["user": "1"]) }
        let process = try #require(folder.text(of: "running-0").flatMap { Int32($0.dropLast()) })

        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }

        #expect(await Processes.isGone(process))
        #expect(folder.text(of: "running-1") == nil)
        await pipelines.shutDown()
    }

    @Test func `closing the source ends those that wait`() async throws {
        let source = try source(concurrency: 1)
        let first = Task { await source.failure(key(0)) }
        #expect(await Processes.comesTrue { running(of: 1) == [0] })
        let second = Task { await source.failure(key(1)) }

        await source.close()

        #expect(await first.value == "the source is closed")
        #expect(await second.value == "the source is closed")
        #expect(folder.text(of: "running-1") == nil)
    }

    @Test func `300 cancelled reads leave every turn free`() async throws {
        let source = try source(concurrency: 2)
        let reads = (0..<300).map { number in Task { try await source.text(key(number)) } }
        #expect(await Processes.comesTrue { running(of: 300).count == 2 })

        for read in reads { read.cancel() }
        for read in reads { await #expect(throws: CancellationError.self) { try await read.value } }
        let pids = running(of: 300).compactMap { folder.text(of: "running-\($0)").flatMap { Int32($0.dropLast()) } }
        for pid in pids { #expect(await Processes.isGone(pid)) }

        try folder.put("", into: "end")
        async let one = source.text(key(301))
        async let two = source.text(key(302))
        #expect(try await [one, two] == ["301", "302"])
    }
}

import Pipeline
import PipelineTesting
import SourcesCommand
import Testing

/// How programs are ended that have no waiter any more.
@Suite(.timeLimit(.minutes(15))) struct CommandEndTests {
    /// Starts another program, tells both numbers, and hangs.
    private static let obedient = "sleep 600 & echo \"$$ $!\" > new; mv new pids; wait"
    /// The same, and neither of the two ends when it is told to.
    private static let stubborn =
        "trap '' TERM; sh -c 'trap \"\" TERM; while :; do sleep 1; done' & echo \"$$ $!\" > new; mv new pids; while :; do wait; done"
    /// The program ends when it is told to, and what it started does not.
    private static let divided = "sh -c 'trap \"\" TERM; while :; do sleep 1; done' & echo \"$$ $!\" > new; mv new pids; wait"

    let folder: ScriptFolder
    let key = Key(pipeline: "friends")

    init() throws {
        folder = try ScriptFolder()
    }

    private func processes() async throws -> [Int32] {
        #expect(await Processes.comesTrue { folder.text(of: "pids") != nil })
        let numbers = folder.text(of: "pids")?.split { $0 == " " || $0 == "\n" }.compactMap { Int32($0) } ?? []
        try #require(numbers.count == 2)
        return numbers
    }

    @Test(arguments: [obedient, stubborn, divided])
    func `a program that takes too long is ended with all that it started`(script: String) async throws {
        let time = ManualClock()
        let source = try folder.source(script, timeout: .seconds(30), clock: time.clock)
        let read = Task { try await source.read(key) }
        let processes = try await processes()

        time.advance(by: .seconds(30))
        let error = await #expect(throws: SourceError.self) { try await read.value }

        #expect(error?.kind == .timeout)
        #expect(error?.reason == "/bin/sh did not end within 30s")
        for process in processes { #expect(await Processes.isGone(process)) }
    }

    @Test(arguments: [obedient, stubborn, divided])
    func `a read that is cancelled ends the program with all that it started`(script: String) async throws {
        let source = try folder.source(script)
        let read = Task { try await source.read(key) }
        let processes = try await processes()

        read.cancel()
        await #expect(throws: CancellationError.self) { try await read.value }

        for process in processes { #expect(await Processes.isGone(process)) }
    }

    @Test(arguments: [obedient, stubborn, divided])
    func `closing the source ends what runs, and waits for it`(script: String) async throws {
        let source = try folder.source(script, clock: ManualClock().clock)
        let read = Task { try await source.read(key) }
        let processes = try await processes()

        await source.close()

        #expect(!Processes.isAlive(processes[0]))
        for process in processes { #expect(await Processes.isGone(process)) }
        await #expect(throws: SourceError.self) { try await read.value }
        #expect(await source.failure() == "the source is closed")
    }

    @Test func `closing waits for a program whose read was given up`() async throws {
        let source = try folder.source(Self.stubborn, clock: ManualClock().clock)
        let read = Task { try await source.read(key) }
        let processes = try await processes()

        read.cancel()
        await source.close()

        #expect(!Processes.isAlive(processes[0]))
        await #expect(throws: CancellationError.self) { try await read.value }
        await source.close()
    }

    @Test func `what goes on writing after its program is gone does not hold up the read`() async throws {
        let time = ManualClock()
        let source = try folder.source(
            "(trap '' TERM; exec yes >&2) & echo \"$$ $!\" > new; mv new pids", timeout: .seconds(30), clock: time.clock)
        let read = Task { await source.failure(key) }
        let processes = try await processes()

        time.advance(by: .seconds(30))
        let end = await read.value

        // Whether the reading was done before the time was over is up to the system.
        #expect(["no failure but ", "/bin/sh did not end within 30s"].contains(end))
        for process in processes { #expect(await Processes.isGone(process)) }
    }

    @Test func `a program may clean up when it is told to end`() async throws {
        let source = try folder.source(
            "trap 'echo clean > cleaned; exit 0' TERM; echo \"$$ $$\" > new; mv new pids; while :; do sleep 0.05; done")
        let read = Task { try await source.read(key) }
        _ = try await processes()

        read.cancel()
        await #expect(throws: CancellationError.self) { try await read.value }

        #expect(folder.text(of: "cleaned") == "clean\n")
    }

    @Test func `a cancelled read starts nothing`() async throws {
        let source = try folder.source("touch ran")
        let read = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await source.read(key)
        }

        await #expect(throws: CancellationError.self) { try await read.value }
        #expect(folder.text(of: "ran") == nil)
    }
}

public import Pipeline
public import PipelineConfig
internal import Subprocess
internal import Synchronization

/// An origin that runs a program for each read: its standard output is the value.
///
/// Exit code 3 says that there is no value; any other but 0 is a failure, with the last line of standard error for a reason. The
/// program gets no input, and of the environment only what is declared besides `PATH`, `HOME`, `LANG` and `TMPDIR`. When the read is
/// cancelled or takes too long, or the source is closed, the program and all that it started are ended: they are told to (SIGTERM), and
/// half a second later they are (SIGKILL). Only so many programs run at a time; further reads wait for their turn. The value is what was written when the program itself ends; what it leaves in the background
/// is left alone then.
public struct CommandSource: Source {
    /// The exit code for `not_found`.
    private static let notFound: Int32 = 3

    /// The number of descriptors that a program needs: two pipes, with both ends while it is started.
    private static let descriptors = 4

    let command: CommandTemplate
    let environment: FieldMap<SecretTemplate>
    let timeout: Duration
    let maxSize: Size
    let allowsLeadingDash: Bool
    let clock: PipelineClock
    private let programs = RunningPrograms()
    private let turns: ProgramTurns

    /// An origin that runs `command`.
    ///
    /// - Parameters:
    ///   - environment: variables for the program, besides the few that it always gets.
    ///   - timeout: the longest time for one read, the wait for a turn included.
    ///   - maxSize: the most bytes of standard output; more is an error.
    ///   - allowsLeadingDash: whether an argument may begin with a value that begins with `-`, which most programs take for an option. If not, a
    ///     read with such a value fails, unless an argument before it is `--`.
    ///   - concurrency: how many programs run at a time, at least one.
    public init(
        _ command: CommandTemplate, environment: FieldMap<SecretTemplate> = FieldMap(), timeout: Duration = .seconds(30),
        maxSize: Size = Size(bytes: 64 << 20), allowsLeadingDash: Bool = false, concurrency: Int = 16,
        clock: PipelineClock = .system
    ) {
        self.command = command
        self.environment = environment
        self.timeout = timeout
        self.maxSize = maxSize
        self.allowsLeadingDash = allowsLeadingDash
        self.clock = clock
        // Fewer where there are few descriptors.
        turns = ProgramTurns(limit: max(1, min(concurrency, DescriptorBudget.process.most / (2 * Self.descriptors))))
    }

    /// The output of the program for `key`, created when it was started.
    public func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        try Task.checkCancellation()
        let arguments = try command.arguments(for: key, allowingLeadingDash: allowsLeadingDash)
        let run = try ProgramRun(command, arguments: arguments, environment: variables(for: key), maxSize: maxSize)
        let (result, created) = try await programs.counting { try await inTime(run) }
        switch result.status {
        case .exited(0): return Entry(result.output, created: created)
        case .exited(Self.notFound): return .notFound(created: created)
        case .exited(let code): throw failure("exit code \(code) from \(command.program)", result.lastError)
        case .signaled(let signal): throw failure("\(command.program) was ended by \(SignalName.text(signal))", result.lastError)
        }
    }

    /// The result of `run`, and when it began.
    private func inTime(_ run: ProgramRun) async throws -> (ProgramRun.Ended, began: Timestamp) {
        let limit = timeout.written ?? "its time"
        let late = SourceError("\(command.program) did not end within \(limit)", kind: .timeout)
        let began = Mutex<Timestamp?>(nil)
        do {
            return try await clock.race(until: clock.now + timeout, late: { throw late }, leaving: { await $0.end() }) { [clock, turns] in
                try await turns.taking {
                    let permit = try DescriptorBudget.process.take(Self.descriptors)
                    defer { permit.giveBack() }
                    let now = clock.now
                    began.withLock { $0 = now }
                    return (try await run.result(), now)
                }
            }
        } catch let error as SourceError where error.kind == .timeout && began.withLock({ $0 == nil }) {
            throw SourceError(
                "\(command.program) was not started within \(limit): `concurrency` is \(turns.limit), and as many were running",
                kind: .timeout)
        }
    }

    /// Does nothing: there is nothing to open.
    public func connect() async throws {
        if programs.isClosed { throw SourceError("the source is closed") }
    }

    /// Ends the programs that run, and returns when they are gone.
    public func close() async {
        await programs.close(within: ProgramRun.longestEnd, clock: clock)
    }

    private func failure(_ reason: String, _ lastError: String?) -> SourceError {
        SourceError(lastError.map { "\(reason): \($0)" } ?? reason)
    }

    private func variables(for key: Key) -> [(name: String, value: String)] {
        ProgramVariables.inherited + environment.map { ($0.name, $0.value.revealed(for: key)) }
    }
}

extension CommandSource {
    /// Looks for the program and does not run it. Where a parameter stands in the `PATH` that is declared, nothing can be told.
    public func check() async throws -> Reachability {
        let path = environment.last { $0.name == "PATH" }
        guard path?.value.isConstant ?? true else { return .untried("its PATH depends on a parameter") }
        _ = try ProgramFinder(variables(for: Key(pipeline: "check")), folder: command.folder).find(command.program)
        return .reachable
    }
}

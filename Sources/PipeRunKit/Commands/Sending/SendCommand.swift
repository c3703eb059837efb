internal import ArgumentParser
private import Foundation
internal import Pipeline
internal import PipelineConfig
internal import PipelineSending

struct SendCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "send",
        abstract: "Sends a write to its origin, now or later.",
        discussion: """
            The payload is a file or standard input; a terminal there is no payload. Once the outbox has the send it is not lost, and \
            readers see what it changes.

            Prints the body of the origin's answer once the send is sent; standard error has its state, the reason for it, and its id. \
            A send that is not sent within two seconds waits: another process delivers it, for at most ten minutes. With `--wait`, this \
            one does, and no other is left. Where no process can be left, as with a configuration from standard input, \
            `pipe-run outbox flush` delivers.

            Exits with 0 for a send that is sent or waits, with 1 for one that was refused, has failed, is held or was dropped, and \
            with `--wait` also for one that is not sent by then.
            """)

    @OptionGroup var config: ConfigOptions
    @OptionGroup var send: SendArguments
    @OptionGroup var swap: SwapOptions

    @Option(help: ArgumentHelp("The file with the payload; `-` for standard input.", valueName: "file"), completion: .file())
    var file: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The id of the send: the same one again takes nothing in. Default: a new UUID.", valueName: "id"))
    var id: String?

    @Option(
        help: ArgumentHelp("Wait for the send to be sent, at most this long, such as 30s.", valueName: "duration"),
        transform: DurationArgument.duration)
    var wait: Duration?

    @Option(help: ArgumentHelp("The priority of the send. Default: the send's own priority.", valueName: "priority"))
    var priority: Choice<PriorityWord>?

    @Option(help: "What to print: raw (the body of the answer), or envelope (one line of JSON).")
    var output = Choice(FetchOutput.raw)

    /// How long a send is followed without `--wait`.
    private static let patience = Duration.seconds(2)

    func perform() async throws {
        let swapped = try SwappedRun(swap)
        let report = try ConfigOptions.report(of: ConfigPaths.file(at: config.config), mayLack: { _ in true })
        let arguments = try send.arguments()
        let plan = try SendUsage.checking(send.call(config)) { () throws(SendError) in
            try report.plan.send(send.name, fitting: arguments)
        }
        let payload = try SendPayload.read(file, isInputTaken: config.config == "-")
        // Other threads trap the signals meanwhile. Nothing from here to `watching` may block: no signal would end it.
        async let signals = Interruption.signals()
        let news = SendNews()
        let pipelines = try ConfigOptions.pipelines(
            of: report, only: report.plan.part(forSend: send.name), swapping: swapped.swaps
        ) { _ in [news.take] + (swapped.observer.map { [$0] } ?? []) }
        let run = SendRun(
            name: plan.name, arguments: arguments, payload: payload, id: id, priority: priority?.value.priority, outbox: plan.outbox.name,
            pipelines: pipelines, patience: wait ?? Self.patience, mustBeSent: wait != nil, output: output.value, news: news)
        let ending = await Interruption.watching(signals) { try await run.run() }
        await swapped.end(pipelines) { await UnwrittenReport().shutDown(pipelines) }
        // What was under way has ended by now.
        let status = await run.finish()
        switch ending {
        case .finished(let refusal):
            // Another process knows nothing of swaps.
            if wait == nil, swapped.swaps.isEmpty, run.leavesSends {
                BackgroundSending.leave([plan.outbox.name], of: pipelines, config: config.config)
            }
            if let status = refusal ?? status { throw status }
        case .interrupted(let signal):
            // A signal that comes behind the outcome takes nothing from it.
            if let status = run.hasOutcome ? status : signal { throw status }
        }
    }
}

/// A send and its arguments: `add_friend user=42`.
struct SendArguments: ParsableArguments {
    @Argument(help: "The name of the send.", completion: Suggestions.sends)
    var name: String

    @Argument(help: ArgumentHelp("The send's arguments.", valueName: "parameter=value"), completion: Suggestions.sendParameters)
    var assignments: [String] = []

    /// The call as it was typed, as far as it concerns the file and the send.
    func call(_ options: ConfigOptions) -> [String] { Assignments.call("send", options, name, assignments) }

    /// The arguments by name. Exits with 64 for one that is no assignment, or given twice.
    func arguments() throws -> [String: String] { try Assignments.read(assignments) }
}

/// The payload of a send: a file, or standard input unless a terminal is there.
enum SendPayload {
    /// The most bytes that are read: an outbox takes far less.
    private static let most = Size.mebibytes(256)

    /// The payload, empty for none. Exits with 64 for a file that cannot be read, and with 1 for one that is too large for any outbox.
    ///
    /// - Parameter isInputTaken: whether something else was read from standard input.
    static func read(_ file: String?, isInputTaken: Bool) throws -> [UInt8] {
        let payload: [UInt8]
        if let file, file != "-" {
            payload = try read(file)
        } else if isInputTaken || file == nil && StandardInput.isTerminal {
            payload = []
        } else {
            payload = try StandardInput.read(limit: most.bytes + 1)
        }
        guard payload.count <= most.bytes else {
            Console.say("the payload is larger than \(most.words)")
            throw ExitStatus.no
        }
        return payload
    }

    private static func read(_ path: String) throws -> [UInt8] {
        guard FileManager.default.fileExists(atPath: path) else {
            throw Usage.failure("the file `\(path)` in `--file` is missing", help: "its path is relative to the current folder")
        }
        guard ConfigPaths.isFile(path), let file = FileHandle(forReadingAtPath: path) else {
            throw Usage.failure("the file `\(path)` in `--file` cannot be read", help: nil)
        }
        defer { try? file.close() }
        var bytes: [UInt8] = []
        while bytes.count <= most.bytes, let chunk = try file.read(upToCount: 1 << 16), !chunk.isEmpty { bytes += chunk }
        return bytes
    }
}

/// A send that does not fit the file.
enum SendUsage {
    /// Runs `body`; a send that the file does not declare so is wrong usage.
    ///
    /// - Parameter call: the call as it was typed; what is missing is added to it.
    static func checking<Value>(_ call: [String], _ body: () throws(SendError) -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            throw failure(error, in: call)
        }
    }

    /// Says what does not fit; gives the error that ends the process with 64.
    private static func failure(_ error: SendError, in call: [String]) -> ExitCode {
        guard case .missingParameters(let names, _) = error else { return Usage.failure(error.message, help: error.help) }
        return Usage.failure(error.message, help: Usage.help(forMissing: names, in: call))
    }
}

extension Plan {
    /// The send called `name`. Throws for one that is not declared, and for arguments that it does not take or lacks.
    fileprivate func send(_ name: String, fitting arguments: [String: String]) throws(SendError) -> SendPlan {
        guard let send = sends.first(where: { $0.name.hasSameBytes(as: name) }) else {
            throw .unknownSend(name, known: sends.map(\.name))
        }
        let names = send.parameters.map(\.name)
        if let other = arguments.keys.sorted().first(where: { given in !names.contains { $0.hasSameBytes(as: given) } }) {
            throw .undeclaredParameter(other, send: send.name, known: names)
        }
        let missing = send.parameters.filter { $0.defaultValue == nil && arguments[$0.name] == nil }.map(\.name)
        if !missing.isEmpty { throw .missingParameters(missing, send: send.name) }
        return send
    }
}

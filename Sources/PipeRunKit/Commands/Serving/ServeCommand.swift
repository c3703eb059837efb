internal import ArgumentParser
internal import Logging
internal import Pipeline
internal import PipelineConfig
internal import PipelineNetwork
import PipelineSending
internal import PipelineServer
private import Synchronization
internal import UnixSignals

struct ServeCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "serve",
        abstract: "Answers GET /NAME?parameter=value with the value.",
        discussion: """
            Keeps the pipelines between requests, so that copies in memory are used again. GET /-/metrics has metrics for Prometheus; \
            GET /-/health and GET /-/ready tell whether it runs and whether it takes requests. A request with \
            `Accept: text/event-stream` gets the value as it changes. With --allow-sends it takes writes, as POST /NAME?parameter=value; \
            GET /-/sends/ID tells what became of one. On SIGHUP it ends the rests of origins and reads the configuration again. A service manager \
            (systemd) is told of all this. On SIGTERM or SIGINT it \
            ends the streams, completes the responses under way, writes what waits to the caches, and ends. A second signal ends it at once.
            """)

    @OptionGroup var config: ConfigOptions
    @OptionGroup var swap: SwapOptions

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(parsing: .unconditional, help: "The port to listen on; 0 picks a free one and prints it.")
    var port = 8080

    @Option(
        help: ArgumentHelp(
            """
            A host name to answer for, in addition to localhost and loopback addresses; may be repeated. On a loopback address, \
            requests for other names are refused. On another address, every name is answered unless this option is given.
            """, valueName: "name"))
    var allowHost: [String] = []

    @Option(
        help: ArgumentHelp(
            "An origin, as in https://example.com, whose pages may read event streams; may be repeated.", valueName: "url"))
    var allowOrigin: [String] = []

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "A send that clients may ask for, with the method of its source; `all` for every send. May be repeated.", valueName: "name"),
        completion: Suggestions.allowedSends)
    var allowSends: [String] = []

    @Option(
        help: ArgumentHelp(
            "The file with the token that clients need for sends, as `Authorization: Bearer`. It is read again with the configuration.",
            valueName: "file"),
        completion: .file())
    var sendToken: String?

    @Option(
        help: ArgumentHelp(
            "The address of a proxy whose X-Forwarded-For names the client, for the log; may be repeated.", valueName: "address"))
    var trustProxy: [String] = []

    @Flag(help: "Also read the configuration again whenever its file, or a file that it names with ${file:PATH}, changes.")
    var watchConfig = false

    @Option(
        help: ArgumentHelp(
            "How long an idle connection stays open. Default: 60s.", valueName: "duration"),
        transform: DurationArgument.duration)
    var idleTimeout: Duration?

    @Option(
        help: ArgumentHelp(
            "How long the client of an event stream may take nothing of what there is. Default: 30s.", valueName: "duration"),
        transform: DurationArgument.duration)
    var writeTimeout: Duration?

    @Option(
        help: ArgumentHelp("How long responses under way may take after a signal. Default: 10s.", valueName: "duration"),
        transform: DurationArgument.duration)
    var drain: Duration?

    @Option(help: "What clients see of a failed load: full (every tier), or brief (no tier, no upstream, no other pipeline).")
    var errors = ErrorDetail.full

    @Option(
        help: ArgumentHelp(
            "The log level, on standard error: warning (failures), info (also each request), debug (also what tiers do).",
            valueName: "level"))
    var log = LogThreshold.off

    @Option(help: "The log format: text, or json (one object per line).")
    var logFormat = LogFormat.text

    @Option(
        help: ArgumentHelp("Append a line for each fetch to this file, which `simulate` and `compare` read.", valueName: "file"),
        completion: .file())
    var record: String?

    @Option(
        help: ArgumentHelp("Stop recording when the file has this size. Default: 1GiB.", valueName: "size"),
        transform: SizeArgument.size)
    var recordMax: Size?

    @Flag(help: "Record hashes instead of the values of parameters. Their key is random, and written nowhere.")
    var anonymous = false

    func validate() throws {
        if record == nil, anonymous || recordMax != nil { throw ValidationError("--record-max and --anonymous need --record") }
        if sendToken != nil, allowSends.isEmpty { throw ValidationError("--send-token needs --allow-sends") }
        if !allowSends.isEmpty, sendToken == nil, allowHost.isEmpty, !HostRule.isLoopback(host) {
            throw ValidationError("--allow-sends on `\(host)` needs --send-token: whoever reaches it could write")
        }
        guard 0...65535 ~= port else { throw ValidationError("--port takes a number from 0 to 65535") }
        for name in allowHost where HostRule.name(in: name) != name.lowercased() {
            throw ValidationError("`\(name)` is not a host name; write it without a scheme and a port, as in `--allow-host example.com`")
        }
        for origin in allowOrigin where OriginRule.normal(origin) == nil {
            throw ValidationError(
                "`\(origin)` is not an origin; write its scheme, host and port, as in `--allow-origin https://example.com`")
        }
        for address in trustProxy where ProxyRule.address(address) == nil {
            throw ValidationError("`\(address)` is not an address; write it in numbers, as in `--trust-proxy 10.0.0.2`")
        }
        if watchConfig, config.config == "-" { throw ValidationError("--watch-config needs a file; standard input cannot be read again") }
    }

    func perform() async throws {
        Interruption.outliveUserSignals()
        let signals = await Interruption.signals()
        let manager = ServiceManager.ofProcess()
        let metrics = PrometheusRegistry()
        let logger = log.level.map { level in
            Logger(label: "pipe-run") { [logFormat] _ in ConsoleLogHandler(logLevel: level, format: logFormat) }
        }
        let origins = logger.map { OriginLog($0) }
        defer { withExtendedLifetime(origins) {} }
        let swapped = try SwappedRun(swap)
        let (stop, starting) = (Race<Void>(), Starting())
        // Ends with the process; a signal may come at any moment.
        let watching = Task { await Self.watch(signals, stopping: stop, starting, swapped, manager) }
        defer { watching.cancel() }
        guard let config = try await followed(metrics, logger, swapped, starting, manager) else { return swapped.removeFiles() }
        let recorder = try recorder(masking: config.served, logger)
        let server = server(for: config.served, metrics: metrics, logger: logger, recorder)
        Console.queueErrors { [log, logFormat] count in
            guard log.level != nil || logFormat == .json else {
                return "pipe-run: \(count) lines are missing here: standard error was not read\n"
            }
            return ConsoleLogHandler(logLevel: .warning, format: logFormat).dropped(count)
        }
        config.served.current.startListening()
        let failure = await withTaskGroup(of: Void.self) { group in
            if starting.begin(config) { group.addTask { await config.reload() } }
            if watchConfig { group.addTask { await config.followChanges() } }
            // What earlier runs took in goes out without a request. An outbox that cannot be used is told by its own event.
            if !allowSends.isEmpty { group.addTask { try? await config.served.current.startSending() } }
            if let recorder { group.addTask { await recorder.run() } }
            if manager.interval != nil { group.addTask { await manager.keepAlive { try await HTTPServer.turn() } } }
            defer { group.cancelAll() }
            return await run(server, until: stop, config, swapped, manager)
        }
        await recorder?.finish()
        if let failure { Console.say(failure.message, help: failure.help) }
        await Console.finishErrors(within: .seconds(1))
        if failure != nil { throw ExitStatus.no }
    }

    /// Serves, then writes what waits; gives why it could not serve.
    private func run(
        _ server: HTTPServer, until stop: Race<Void>, _ config: FollowedConfig, _ swapped: SwappedRun, _ manager: ServiceManager
    ) async -> ListenFailure? {
        var failure: ListenFailure?
        do {
            try await server.run(until: stop) { address in
                Console.error.writeLine("serving on \(address)")
                manager.serving(on: address)
            }
        } catch {
            failure = ListenFailure(error, host: host, port: port)
        }
        let pipelines = await config.end()
        await swapped.end(pipelines) { await UnwrittenReport().shutDown(pipelines) }
        return failure
    }

    /// The configuration that the server begins with; nil if it was told to stop meanwhile. With errors in it, prints them and exits
    /// with 2.
    private func followed(
        _ metrics: PrometheusRegistry, _ logger: Logger?, _ swapped: SwappedRun, _ starting: Starting, _ manager: ServiceManager
    ) async throws -> FollowedConfig? {
        let (path, plugins) = (config.config, Program.plugins)
        let allowance = SendAllowance(allowSends, tokenFile: sendToken)
        return try await withThrowingTaskGroup(of: FollowedConfig?.self) { group in
            group.addTask {
                try await FollowedConfig.apart {
                    try Program.$plugins.withValue(plugins) {
                        try FollowedConfig(
                            path, swapping: swapped.swaps, allowing: allowance, observing: swapped.observer, metrics: metrics,
                            logger: logger, manager: manager)
                    }
                }
            }
            group.addTask {
                try await starting.stopped.value()
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    /// The wishes of signals that come while the server starts.
    private final class Starting: Sendable {
        let stopped = Race<Void>()
        private let state = Mutex((config: FollowedConfig?.none, mustReload: false))

        /// The configuration that runs.
        var config: FollowedConfig? { state.withLock(\.config) }

        /// Gives the server `config`; says whether that is to be read again.
        func begin(_ config: FollowedConfig) -> Bool {
            state.withLock { state in
                state.config = config
                return state.mustReload
            }
        }

        /// The configuration to read again; nil while there is none, which is read again then.
        func reloading() -> FollowedConfig? {
            state.withLock { state in
                state.mustReload = state.config == nil
                return state.config
            }
        }
    }

    /// Ends rests and reads the configuration again with SIGHUP, stops the server with the first signal of another kind, and ends the process
    /// with the next.
    private static func watch(
        _ signals: UnixSignalsSequence, stopping stop: Race<Void>, _ starting: Starting, _ swapped: SwappedRun, _ manager: ServiceManager
    ) async {
        let hadTerminal = Console.error.isTerminal
        var isStopping = false
        await withDiscardingTaskGroup { group in
            for await signal in signals {
                // A terminal that was closed says so in the same way.
                let hasHungUp = signal == .sighup && hadTerminal && !Console.error.isTerminal
                if signal == .sighup, !hasHungUp {
                    OriginControllers.shared.endRests()
                    // No signal waits for a file to be read.
                    if let config = starting.reloading() { group.addTask { await config.reload() } }
                    continue
                }
                if isStopping {
                    if let config = starting.config { await UnwrittenReport().giveUp(config.served.current) }
                    swapped.removeFiles()
                    await Console.finishErrors(within: .milliseconds(200))
                    Self.exit(withError: ExitCode(128 + signal.rawValue))
                }
                isStopping = true
                manager.stopping()
                starting.stopped.finish(.success(()))
                stop.finish(.success(()))
            }
        }
    }

    /// The recorder of the fetches; nil without `--record`.
    private func recorder(masking pipelines: ServedPipelines, _ logger: Logger?) throws -> FetchRecorder? {
        guard let record else { return nil }
        do throws(RecordFile.Problem) {
            return try FetchRecorder(
                path: record, limit: recordMax ?? .mebibytes(1024), isAnonymous: anonymous, masking: { pipelines.current }
            ) { message in
                if let logger { logger.warning("\(message)") } else { Console.say(message) }
            }
        } catch {
            Console.say(error.message, help: error.help)
            throw ExitStatus.no
        }
    }

    private func server(
        for pipelines: ServedPipelines, metrics: PrometheusRegistry, logger: Logger?, _ recorder: FetchRecorder?
    ) -> HTTPServer {
        var limits = ServerLimits()
        if let idleTimeout { limits.idle = idleTimeout }
        if let writeTimeout { limits.write = writeTimeout }
        if let drain { limits.drain = drain }
        let table = ConnectionTable(limit: limits.connections)
        let service = ClientService(
            responder: PipelineResponder(
                pipelines, version: Program.version, metrics: metrics, detail: errors, origins: OriginRule(allowing: allowOrigin),
                recorder: recorder
            ) { table.isDraining },
            limits: limits,
            hosts: HostRule(listeningOn: host, allowing: allowHost),
            proxies: ProxyRule(trusting: trustProxy),
            log: RequestLog(logger, masking: pipelines.current.redactor, factory: metrics, of: pipelines))
        return HTTPServer(service, table: table, host: host, port: port) { message in
            if let logger { logger.warning("\(message)") } else { Console.say(message) }
        }
    }
}

extension ErrorDetail: ExpressibleByArgument {}

/// The level from which on `serve` logs.
enum LogThreshold: String, CaseIterable, ExpressibleByArgument {
    case off
    case warning
    case info
    case debug

    /// The level of the logger; nil for nothing at all.
    var level: Logger.Level? {
        switch self {
        case .off: nil
        case .warning: .warning
        case .info: .info
        case .debug: .debug
        }
    }
}

internal import ArgumentParser
internal import Logging
internal import Pipeline
internal import PipelineConfig
internal import PipelineServer
internal import UnixSignals

struct ServeCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "serve",
        abstract: "Answers GET /NAME?parameter=value with the value.",
        discussion: """
            Keeps the graph between requests, so that memory does its work. GET /-/metrics shows what its tiers did, for Prometheus; \
            GET /-/health and GET /-/ready say whether it runs and whether it takes requests. SIGTERM, SIGINT and SIGHUP end it: answers \
            that were begun are written to their end, then what waits is written to the caches. A second signal ends it at once.
            """)

    @OptionGroup var config: ConfigOptions

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(parsing: .unconditional, help: "The port to listen on; 0 takes a free one and names it.")
    var port = 8080

    @Option(
        help: ArgumentHelp(
            """
            A name to answer for, besides localhost and loopback addresses; can be repeated. On loopback no other name is answered. On \
            another address every name is, unless this option is given.
            """, valueName: "name"))
    var allowHost: [String] = []

    @Option(
        help: ArgumentHelp(
            "How long a connection may stay open while nothing moves on it. Default: 60s.", valueName: "duration"),
        transform: DurationArgument.duration)
    var idleTimeout: Duration?

    @Option(
        help: ArgumentHelp("How long answers that were begun may take after a signal. Default: 10s.", valueName: "duration"),
        transform: DurationArgument.duration)
    var drain: Duration?

    @Option(help: "What clients learn of a load that failed: full (every tier), or brief (no tier and no upstream).")
    var errors = ErrorDetail.full

    @Option(
        help: ArgumentHelp(
            "From which level on to log, on standard error: warning (what failed), info (each request, too), debug (what tiers do, too).",
            valueName: "level"))
    var log = LogThreshold.off

    @Option(help: "How to write the log: text, or json (one object a line).")
    var logFormat = LogFormat.text

    func validate() throws {
        guard 0...65535 ~= port else { throw ValidationError("--port takes a number from 0 to 65535") }
        for name in allowHost where HostRule.name(in: name) != name.lowercased() {
            throw ValidationError("`\(name)` is not a host name; write it without a scheme and a port, as in `--allow-host example.com`")
        }
    }

    func perform() async throws {
        let metrics = PrometheusRegistry()
        let logger = log.level.map { level in
            Logger(label: "pipe-run") { [logFormat] _ in ConsoleLogHandler(logLevel: level, format: logFormat) }
        }
        let pipelines = try config.pipelines { report in
            [PipelineMetrics(plan: report.plan, factory: metrics).observer]
                + (logger.map { [PipelineLog($0, masking: report.redactor).observer] } ?? [])
        }
        let server = server(for: pipelines, metrics: metrics, logger: logger)
        // Before anything is begun: a signal that nothing waits for would end the process at once.
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup)
        pipelines.startListening()
        let stop = Race<Void>()
        let failure = await withTaskGroup(of: Void.self) { group in
            group.addTask { await Self.watch(signals, stopping: stop, pipelines) }
            defer { group.cancelAll() }
            return await run(server, until: stop, pipelines)
        }
        if let failure {
            Console.say(failure.message, help: failure.help)
            throw ExitStatus.no
        }
    }

    /// Serves, then writes what waits; gives why it could not serve.
    private func run(_ server: HTTPServer, until stop: Race<Void>, _ pipelines: Pipelines) async -> ListenFailure? {
        var failure: ListenFailure?
        do {
            try await server.run(until: stop) { Console.error.writeLine("serving on \($0)") }
        } catch {
            failure = ListenFailure(error, host: host, port: port)
        }
        await UnwrittenReport().shutDown(pipelines)
        return failure
    }

    /// Stops the server with the first signal, and ends the process with the second.
    private static func watch(_ signals: UnixSignalsSequence, stopping stop: Race<Void>, _ pipelines: Pipelines) async {
        var isStopping = false
        for await signal in signals {
            if isStopping {
                await UnwrittenReport().giveUp(pipelines)
                RootCommand.exit(withError: ExitCode(128 + signal.rawValue))
            }
            isStopping = true
            stop.finish(.success(()))
        }
    }

    private func server(for pipelines: Pipelines, metrics: PrometheusRegistry, logger: Logger?) -> HTTPServer {
        var limits = ServerLimits()
        if let idleTimeout { limits.idle = idleTimeout }
        if let drain { limits.drain = drain }
        let table = ConnectionTable(limit: limits.connections)
        let service = ClientService(
            responder: PipelineResponder(pipelines, version: RootCommand.version, metrics: metrics, detail: errors) { table.isDraining },
            limits: limits,
            hosts: HostRule(listeningOn: host, allowing: allowHost),
            log: RequestLog(logger, masking: pipelines.redactor, factory: metrics))
        return HTTPServer(service, table: table, host: host, port: port) { message in
            if let logger { logger.warning("\(message)") } else { Console.say(message) }
        }
    }
}

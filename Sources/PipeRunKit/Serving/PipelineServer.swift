internal import Hummingbird
internal import Logging
internal import NIOCore
internal import Pipeline
internal import ServiceLifecycle
internal import UnixSignals

/// The pipelines of one configuration behind HTTP.
struct PipelineServer {
    private let pipelines: Pipelines
    private let metrics: PrometheusRegistry
    private let host: String
    private let port: Int

    init(_ pipelines: Pipelines, metrics: PrometheusRegistry, host: String, port: Int) {
        self.pipelines = pipelines
        self.metrics = metrics
        self.host = host
        self.port = port
    }

    /// Serves until SIGTERM or SIGINT; requests under way are answered first.
    func run() async throws {
        var logger = Logger(label: "pipe-run") { StreamLogHandler.standardError(label: $0) }
        // What goes wrong is in the answers, or is thrown.
        logger.logLevel = .critical
        let responder = PipelineResponder(pipelines, metrics: metrics)
        let application = Application(
            responder: CallbackResponder<BasicRequestContext> { request, _ in try await responder.respond(to: request) },
            configuration: ApplicationConfiguration(address: .hostname(host, port: port), serverName: "pipe-run"),
            onServerRunning: { [host] channel in
                let port = channel.localAddress?.port ?? 0
                Console.error.writeLine("serving on http://\(host.contains(":") ? "[\(host)]" : host):\(port)")
            },
            logger: logger)
        let services = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [application], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await services.run()
    }
}

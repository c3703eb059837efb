internal import ArgumentParser
internal import Logging
internal import Pipeline

struct ServeCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "serve",
        abstract: "Answers GET /NAME?parameter=value with the value.",
        discussion: """
            Keeps the graph between requests, so that memory does its work. GET /-/metrics shows what its tiers did, for Prometheus. \
            SIGTERM and SIGINT drain and flush.
            """)

    @OptionGroup var config: ConfigOptions

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(parsing: .unconditional, help: "The port to listen on; 0 takes a free one and names it.")
    var port = 8080

    @Option(help: ArgumentHelp("From which level on to log what tiers do, on standard error.", valueName: "level"))
    var log = LogThreshold.off

    func validate() throws {
        guard 0...65535 ~= port else { throw ValidationError("--port takes a number from 0 to 65535") }
    }

    func perform() async throws {
        let metrics = PrometheusRegistry()
        let pipelines = try config.pipelines { [PipelineMetrics(plan: $0.plan, factory: metrics).observer] + logObservers(for: $0) }
        pipelines.listen()
        do {
            try await PipelineServer(pipelines, metrics: metrics, host: host, port: port).run()
        } catch {
            await UnwrittenReport().shutDown(pipelines)
            ListenFailure(error, host: host, port: port).say()
            throw ExitStatus.no
        }
        await UnwrittenReport().shutDown(pipelines)
    }

    private func logObservers(for report: ConfigReport) -> [PipelineEvent.Observer] {
        guard let level = log.level else { return [] }
        let logger = Logger(label: "pipe-run") { _ in ConsoleLogHandler(logLevel: level) }
        return [PipelineLog(logger, masking: report.redactor).observer]
    }
}

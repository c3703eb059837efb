internal import ArgumentParser
internal import Pipeline
internal import PipelineSimulation

/// The trace that a command plays, with what a trace itself may not say.
struct TraceOptions: ParsableArguments {
    @OptionGroup var file: TraceFileOptions

    @Option(help: ArgumentHelp("The parameter that keys fill, where the pipeline has several.", valueName: "parameter"))
    var key: String?

    @Option(
        help: ArgumentHelp("How many requests come where the trace has no times. Default: 1000/s.", valueName: "100/s"),
        transform: RateArgument.rate)
    var rate: Double?

    func validate() throws {
        guard file.trace != nil else { throw ValidationError("Missing expected argument '--trace <file>'") }
    }

    /// The trace as requests of `pipeline`. Says why it cannot be read.
    ///
    /// - Parameter arguments: values of parameters that its keys do not have.
    func read(for pipeline: PipelineSpec, with arguments: [String: String]) throws -> Trace {
        guard let trace = try file.read(for: pipeline, filling: key, with: arguments, perSecond: rate) else { throw ExitStatus.usage }
        return trace
    }
}

internal import ArgumentParser
internal import Pipeline
internal import PipelineSimulation

/// The file of a trace, and how it is read.
struct TraceFileOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The requests to play; `-` for standard input. Files in gzip, xz and zstd are expanded.", valueName: "file"),
        completion: .file())
    var trace: String?

    @Option(
        help: ArgumentHelp(
            """
            The format of the trace: csv, oraclegeneral, arc, lirs, text, int32be, int64be, int32le, twitter, clf, combined, or pipe-run \
            (what --record writes). Default: what the file looks like.
            """, valueName: "format"))
    var traceFormat: Choice<TraceFormat>?

    @Option(
        help: ArgumentHelp(
            "The columns of a csv trace, counted from 1, or by the names of its header.", valueName: "time=2,key=5,size=4,op=3"),
        transform: Self.checking(TraceColumns.init))
    var columns: TraceColumns?

    @Option(
        help: ArgumentHelp(
            "Which paths of an access log are fetches. Default: those that serve answers.", valueName: "/users/{user}"),
        transform: Self.checking(PathPattern.init))
    var map: PathPattern?

    @Option(
        help: ArgumentHelp("The pipeline whose requests are played; the named one by default.", valueName: "pipeline"),
        completion: Suggestions.pipelines)
    var from: String?

    @Flag(help: "Leave requests of a trace in whole seconds together, instead of spreading them over the second.")
    var exactTimes = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How many requests to leave out at the beginning of the trace.", valueName: "number"))
    var skip = 0

    @Option(parsing: .unconditional, help: ArgumentHelp("How many requests of the trace to read at most.", valueName: "number"))
    var limit: Int?

    func validate() throws {
        guard skip >= 0 else { throw ValidationError("--skip takes a number of at least 0") }
        guard limit.map({ $0 >= 1 }) ?? true else { throw ValidationError("--limit takes a number of at least 1") }
        guard columns == nil || traceFormat.map({ $0.value == .csv }) ?? true else {
            throw ValidationError("--columns is for traces of the format csv")
        }
    }

    /// The trace as requests of `pipeline`; nil if none is named. Says why it cannot be read, and what of it is left out.
    ///
    /// - Parameters:
    ///   - parameter: the parameter that keys fill; nil for the only one.
    ///   - arguments: values of parameters that its keys do not have.
    ///   - perSecond: requests a second of a trace without times; nil for a thousand.
    func read(
        for pipeline: PipelineSpec, filling parameter: String? = nil, with arguments: [String: String] = [:], perSecond: Double? = nil
    ) throws -> Trace? {
        guard let path = trace else { return nil }
        var rules = TraceRules()
        rules.format = traceFormat?.value ?? (columns == nil ? nil : .csv)
        (rules.columns, rules.map, rules.usesExactTimes, rules.skip, rules.limit) = (columns, map, exactTimes, skip, limit)
        (rules.pipeline, rules.parameter, rules.arguments, rules.perSecond) = (from, parameter, arguments, perSecond)
        do throws(TraceError) {
            let trace = try TraceReader(pipeline, rules).read(path)
            if trace.omitted.late > 0 {
                let late = trace.omitted.late
                Console.say(
                    "warning: \(late) request\(late == 1 ? "" : "s") of the trace came more than 5 minutes too late, and \(late == 1 ? "is" : "are") left out"
                )
            }
            if trace.omitted.other > 0 {
                let (other, name) = (trace.omitted.other, from ?? pipeline.name)
                Console.say(
                    other == 1
                        ? "1 line of the trace is no request of `\(name)`, and is left out"
                        : "\(other) lines of the trace are no requests of `\(name)`, and are left out")
            }
            if !trace.isTimed, perSecond == nil {
                Console.say("the trace has no times: its requests are played at 1000/s", help: "`--rate 100/s` plays them at another rate")
            }
            return trace
        } catch {
            Console.say(error.message, help: error.help)
            throw ExitStatus.no
        }
    }

    /// Turns a text that is no value of an option into wrong usage.
    private static func checking<Value>(
        _ make: @escaping @Sendable (String) throws(TraceError) -> Value
    ) -> @Sendable (String) throws -> Value {
        { argument in
            do throws(TraceError) {
                return try make(argument)
            } catch {
                throw ValidationError(error.message + (error.help.map { "; \($0)" } ?? ""))
            }
        }
    }
}

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

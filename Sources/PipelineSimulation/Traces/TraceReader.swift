public import Pipeline

/// Reads traces as requests of one pipeline.
public struct TraceReader: Sendable {
    private let pipeline: PipelineSpec
    private let rules: TraceRules

    /// How many bytes are looked at to tell the format.
    private static let sample = 24 * 4096

    private static let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]

    /// A reader of requests of `pipeline`.
    public init(_ pipeline: PipelineSpec, _ rules: TraceRules = TraceRules()) {
        self.pipeline = pipeline
        self.rules = rules
    }

    /// The trace in the file at `path`; `-` is standard input. Throws where the file cannot be read, is of another format or cut short, has no
    /// request of the pipeline, or expands to much more than usual.
    public func read(_ path: String) throws(TraceError) -> Trace {
        try read(from: FileBytes(path: path), path: path)
    }

    /// The trace that `bytes` are, as a file called `path` would have it.
    public func read(_ bytes: [UInt8], path: String = "") throws(TraceError) -> Trace {
        try read(from: ArrayBytes(bytes), path: path)
    }

    /// The same with the bytes in chunks of `size`.
    package func read(_ bytes: [UInt8], chunks size: Int) throws(TraceError) -> Trace {
        try read(from: ArrayBytes(bytes, chunks: size), path: "")
    }

    func read(from source: any ByteSource, path: String, limit: ExpandedBytes.Limit = .init()) throws(TraceError) -> Trace {
        var feed = try ByteFeed.opening(source, path: path, limit: limit)
        let sample = try feed.peek(Self.sample)
        guard sample.count >= Self.sample || !sample.allSatisfy(Self.blanks.contains) else {
            throw TraceError("the trace `\(path)` is empty")
        }
        if rules.format == nil, let problem = TraceLikeness(sample).problem { throw problem }
        let likely = TraceLikeness(sample).format
        guard let format = rules.format ?? likely else {
            throw TraceError("the format of the trace cannot be told", help: "say it with `--trace-format`: \(Self.formats)")
        }
        if let chosen = rules.format, TraceLikeness(sample).contradicts(chosen) {
            throw Self.named(likely, TraceError("the trace is not of the format `\(chosen.rawValue)`"))
        }
        let trace: Trace
        do {
            trace = try self.trace(from: &feed, format)
        } catch {
            throw error.help == nil && likely != format ? Self.named(likely, error) : error
        }
        guard !trace.requests.isEmpty else { throw nothing(in: trace, path) }
        return trace
    }

    private func trace(from feed: inout ByteFeed, _ format: TraceFormat) throws(TraceError) -> Trace {
        var parser = parser(for: format)
        var builder = TraceBuilder(rules, KeyNumbers(try KeyNaming(pipeline, rules, format: format)))
        do {
            while !builder.isFull, let item = try parser.next(&feed) { try builder.add(item, from: feed) }
        } catch {
            throw feed.isCutShort && builder.count > 0 ? Self.cutShort(error, behind: builder.count) : error
        }
        return try builder.trace(isTimed: parser.isTimed, inWholeSeconds: parser.hasWholeSeconds)
    }

    private func parser(for format: TraceFormat) -> any TraceParser {
        switch format {
        case .csv: CSVParser(rules.columns)
        case .oraclegeneral: OracleGeneralParser()
        case .arc: ARCParser()
        case .lirs, .text: WordParser()
        case .int32be: NumberParser(size: 4)
        case .int64be: NumberParser(size: 8)
        case .int32le: NumberParser(size: 4, isBigEndian: false)
        case .twitter: TwitterParser()
        case .clf: AccessLogParser(isCombined: false)
        case .combined: AccessLogParser(isCombined: true)
        case .pipeRun: RecordedParser()
        }
    }

    /// The problem of a last line that has no end, behind so many requests: most likely, writing it was cut short.
    private static func cutShort(_ error: TraceError, behind count: Int) -> TraceError {
        TraceError(
            "the trace is cut short: \(error.message)", help: "`--limit \(count)` plays the requests before it")
    }

    private static var formats: String { TraceFormat.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ") }

    /// The problem, with the format that the file looks like.
    private static func named(_ likely: TraceFormat?, _ error: TraceError) -> TraceError {
        TraceError(error.message, help: likely.map { "it looks like `\($0.rawValue)`: `--trace-format \($0.rawValue)`" })
    }

    private func nothing(in trace: Trace, _ path: String) -> TraceError {
        if trace.omitted.skipped > 0 {
            return TraceError("the trace has no requests behind the \(trace.omitted.skipped) that `--skip` leaves out")
        }
        guard trace.omitted.other > 0 else { return TraceError("the trace `\(path)` has no requests") }
        return TraceError(
            "none of the \(trace.omitted.other) lines of the trace is a request of `\(pipeline.name)`",
            help: """
                `--map '/path/{parameter}'` says which paths of an access log are; arguments as `user=42` fill the parameters that keys lack
                """)
    }
}

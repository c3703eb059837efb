public import Pipeline

/// Reads traces as requests of one pipeline.
public struct TraceReader: Sendable {
    private let pipeline: PipelineSpec
    private let rules: TraceRules

    /// The number of bytes that are looked at to tell the format.
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

    /// The trace of these bytes, read in chunks of `size`.
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
        let count = trace.omitted.other
        guard count > 0 else { return TraceError("the trace `\(path)` has no requests") }
        let name = rules.pipeline ?? pipeline.name
        let parameters = pipeline.parameters.map { "`\($0.name)`" }.joined(separator: ", ")
        let filled = parameters.isEmpty ? "" : " with values for \(parameters)"
        let message = "none of the \(count) lines of the trace is a request of `\(name)`\(filled)"
        if let other = trace.omitted.pipelines.first {
            let names = trace.omitted.pipelines.map { "`\($0)`" }.joined(separator: ", ")
            let isOwn = trace.omitted.pipelines.contains { $0.hasSameBytes(as: pipeline.name) }
            return TraceError(
                "\(message); it has requests of \(names)",
                help: isOwn ? "leave out `--from`" : "`--from \(other)` plays those through `\(pipeline.name)`")
        }
        return TraceError(
            message,
            help: """
                `--map '/path/{parameter}'` says which paths of an access log are; arguments as `user=42` fill the parameters that keys lack
                """)
    }
}

/// The rules by which a trace is read.
public struct TraceRules: Sendable {
    /// The format; nil to find it out.
    public var format: TraceFormat?
    /// The columns of a `csv` trace; nil if its header says it.
    public var columns: TraceColumns?
    /// The pipeline whose requests are read; nil for the one that plays them.
    public var pipeline: String?
    /// The parameter that a key fills; nil if there is but one.
    public var parameter: String?
    /// Values of parameters that the keys of the trace do not have.
    public var arguments: [String: String] = [:]
    /// The paths of an access log that are fetches; nil for those that `serve` answers.
    public var map: PathPattern?
    /// Requests a second of a trace without times; nil for a thousand.
    public var perSecond: Double?
    /// Indicates whether requests of one second are made at once, instead of spread over it.
    public var usesExactTimes = false
    /// The number of requests at the beginning of the file that are left out.
    public var skip = 0
    /// The greatest number of requests that are read.
    public var limit: Int?

    /// The usual rules.
    public init() {}
}

/// The layout of a file of requests.
public enum TraceFormat: String, CaseIterable, Sendable {
    /// Lines of columns.
    case csv
    /// Records of 24 bytes, of libCacheSim.
    case oraclegeneral
    /// Lines `start count _ n`, each of consecutive keys.
    case arc
    /// A key a line.
    case lirs
    /// A key a line.
    case text
    /// Keys of four bytes, the most significant first.
    case int32be
    /// Keys of eight bytes, the most significant first.
    case int64be
    /// Keys of four bytes, the least significant first.
    case int32le
    /// Lines of Twitter's cluster traces.
    case twitter
    /// The common log format of web servers.
    case clf
    /// The common log format with referrer and agent.
    case combined
    /// The format that `serve --record` and `fetch --record` write.
    case pipeRun = "pipe-run"
}

/// The reason why a trace cannot be used.
public struct TraceError: Error, Hashable, CustomStringConvertible {
    /// The problem and its place.
    public let message: String
    /// The advice, if one is known.
    public let help: String?

    /// The problem in words.
    public init(_ message: String, help: String? = nil) {
        self.message = message
        self.help = help
    }

    /// The message.
    public var description: String { message }
}

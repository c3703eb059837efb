/// How a trace is read.
public struct TraceRules: Sendable {
    /// Nil to find the format out.
    public var format: TraceFormat?
    /// The columns of a `csv` trace; nil where its header says it.
    public var columns: TraceColumns?
    /// The parameter that a key fills; nil where there is but one.
    public var parameter: String?
    /// Values of parameters that the keys of the trace do not have.
    public var arguments: [String: String] = [:]
    /// Which paths of an access log are fetches; nil for those that `serve` answers.
    public var map: PathPattern?
    /// Requests a second of a trace without times; nil for a thousand.
    public var perSecond: Double?
    /// Whether requests of one second are made at once, instead of spread over it.
    public var usesExactTimes = false
    /// How many requests at the beginning of the file are left out.
    public var skip = 0
    /// How many requests are read at most.
    public var limit: Int?

    /// The usual rules.
    public init() {}
}

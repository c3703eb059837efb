/// How a file of requests is laid out.
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
    /// What `serve --record` and `fetch --record` write.
    case pipeRun = "pipe-run"
}

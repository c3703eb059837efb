/// A path below `/-/`, which is for the server itself. A pipeline whose name begins with `-/` is at `/-%2F…`.
enum ReservedPath {
    /// What happened up to now, for Prometheus.
    case metrics
    /// Whether the process answers at all.
    case health
    /// Whether it takes requests: not any more once it was told to stop.
    case ready
    /// Ends the rests of origins, with `POST`.
    case wake
    case unknown(String)

    private static let prefix = "/-/"
    /// Those that are known, behind the prefix.
    static let names = ["metrics", "health", "ready"]

    /// Nil for a target that is for a pipeline.
    init?(_ target: String) {
        let path = target.prefix { $0 != "?" }
        guard path.utf8.starts(with: Self.prefix.utf8) else { return nil }
        switch Array(path.utf8.dropFirst(Self.prefix.utf8.count)) {
        case Array("metrics".utf8): self = .metrics
        case Array("health".utf8): self = .health
        case Array("ready".utf8): self = .ready
        case Array("wake".utf8): self = .wake
        default: self = .unknown(String(path))
        }
    }
}

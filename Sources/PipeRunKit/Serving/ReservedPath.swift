/// A path below `/-/`, which is for the server itself. A pipeline whose name begins with `-/` is at `/-%2F…`.
enum ReservedPath {
    case metrics
    case unknown(String)

    private static let prefix = "/-/"

    /// Nil for a target that is for a pipeline.
    init?(_ target: String) {
        let path = target.prefix { $0 != "?" }
        guard path.utf8.starts(with: Self.prefix.utf8) else { return nil }
        self = path.utf8.elementsEqual("/-/metrics".utf8) ? .metrics : .unknown(String(path))
    }
}

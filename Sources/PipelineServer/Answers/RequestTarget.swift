import Pipeline

/// The pipeline, or the send, and the arguments that a request's target names: `/friends?user=42`.
struct RequestTarget {
    /// The call of a pipeline that one request asks for.
    struct Call {
        let arguments: [String: String]
        /// The links to follow.
        var following: [String] = []
        /// The content of the event stream.
        var output = EventStream.Output.value
    }

    let name: String
    /// The fields behind the `?`, in their order.
    private let fields: [(name: String, value: String)]

    /// The reason why a target names nothing.
    struct Problem: Error {
        let message: String
    }

    /// Reads an origin-form target (RFC 9112, section 3.2.1).
    init(_ target: String) throws(Problem) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts[0].hasPrefix("/") else { throw Problem(message: "the target does not begin with `/`") }
        name = try Self.text(parts[0].dropFirst(), plusIsSpace: false)
        var fields: [(String, String)] = []
        for pair in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = try Self.text(sides[0], plusIsSpace: true)
            fields.append((name, try Self.text(sides.count > 1 ? sides[1] : "", plusIsSpace: true)))
        }
        self.fields = fields
    }

    /// The fetch that the target asks `spec` for: `follow`, which may stand several times, names links. A parameter of that name is the
    /// pipeline's.
    func fetch(of spec: PipelineSpec) throws(Problem) -> Call {
        let isOwn = spec.parameters.contains { $0.name == "follow" }
        let following = isOwn ? [] : fields.filter { $0.name == "follow" }.map(\.value)
        return Call(arguments: try arguments(without: isOwn ? nil : "follow"), following: following)
    }

    /// The event stream that the target asks `spec` for: `output` says what it tells. A parameter of that name is the pipeline's.
    func stream(of spec: PipelineSpec) throws(Problem) -> Call {
        if fields.contains(where: { $0.name == "follow" }), !spec.parameters.contains(where: { $0.name == "follow" }) {
            throw Problem(
                message: "an event stream follows no links; a pipeline with `combine: { of: … }` and `follow` has them in its value")
        }
        let arguments = try arguments()
        guard let word = arguments["output"], !spec.parameters.contains(where: { $0.name == "output" }) else {
            return Call(arguments: arguments)
        }
        guard let output = EventStream.Output(rawValue: word) else {
            throw Problem(message: "`output` is `value` or `changes`, not `\(word)`")
        }
        return Call(arguments: arguments.filter { $0.key != "output" }, output: output)
    }

    /// The arguments that the target names.
    ///
    /// - Parameter reserved: the name of a field that is none of them.
    func arguments(without reserved: String? = nil) throws(Problem) -> [String: String] {
        var arguments: [String: String] = [:]
        for (name, value) in fields where name != reserved {
            guard arguments[name] == nil else { throw Problem(message: "the parameter `\(name)` is given twice") }
            arguments[name] = value
        }
        return arguments
    }

    private static func text(_ encoded: Substring, plusIsSpace: Bool) throws(Problem) -> String {
        guard let text = PercentEncoding.decoded(encoded.utf8, plusIsSpace: plusIsSpace) else {
            throw Problem(message: "`\(encoded)` is not percent-encoded UTF-8")
        }
        return text
    }
}

/// A path below `/-/`, which is for the server itself. A pipeline whose name begins with `-/` is at `/-%2F…`.
enum ReservedPath {
    /// The metrics up to now, for Prometheus.
    case metrics
    /// The sign that the process answers at all.
    case health
    /// The sign that it takes requests: not any more once it was told to stop.
    case ready
    /// Ends the rests of origins, with `POST`.
    case wake
    /// What became of the send of this id.
    case send(String)
    case unknown

    private static let prefix = "/-/"
    /// The names that are known, behind the prefix.
    static let names = ["metrics", "health", "ready"]

    /// The path that has what became of the send of an id.
    static func path(ofSend id: String) -> String { prefix + "sends/" + PercentEncoding.url.encoded(id) }

    /// Reads a target; nil for one that is for a pipeline.
    init?(_ target: String) {
        let path = target.prefix { $0 != "?" }
        guard path.utf8.starts(with: Self.prefix.utf8) else { return nil }
        let name = path.utf8.dropFirst(Self.prefix.utf8.count)
        switch Array(name) {
        case Array("metrics".utf8): self = .metrics
        case Array("health".utf8): self = .health
        case Array("ready".utf8): self = .ready
        case Array("wake".utf8): self = .wake
        case _ where name.starts(with: "sends/".utf8):
            let id = PercentEncoding.decoded(name.dropFirst("sends/".utf8.count))
            self = id.map { .send($0) } ?? .unknown
        default: self = .unknown
        }
    }
}

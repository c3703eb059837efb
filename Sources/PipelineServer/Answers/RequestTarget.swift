import Pipeline

/// The pipeline and the arguments that a request's target names: `/friends?user=42`.
struct RequestTarget {
    let pipeline: String
    let arguments: [String: String]

    /// Why a target names nothing.
    struct Problem: Error {
        let message: String
    }

    /// Reads an origin-form target (RFC 9112, section 3.2.1).
    init(_ target: String) throws(Problem) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts[0].hasPrefix("/") else { throw Problem(message: "the target does not begin with `/`") }
        pipeline = try Self.text(parts[0].dropFirst(), plusIsSpace: false)
        var arguments: [String: String] = [:]
        for pair in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = try Self.text(sides[0], plusIsSpace: true)
            guard arguments[name] == nil else { throw Problem(message: "the parameter `\(name)` is given twice") }
            arguments[name] = try Self.text(sides.count > 1 ? sides[1] : "", plusIsSpace: true)
        }
        self.arguments = arguments
    }

    /// What an event stream of `spec` tells, and the arguments without the one that says so. A parameter of that name is the pipeline's.
    func output(of spec: PipelineSpec) throws(Problem) -> (EventStream.Output, [String: String]) {
        guard let word = arguments["output"], !spec.parameters.contains(where: { $0.name == "output" }) else { return (.value, arguments) }
        guard let output = EventStream.Output(rawValue: word) else {
            throw Problem(message: "`output` is `value` or `changes`, not `\(word)`")
        }
        return (output, arguments.filter { $0.key != "output" })
    }

    private static func text(_ encoded: Substring, plusIsSpace: Bool) throws(Problem) -> String {
        guard let text = PercentEncoding.decoded(encoded.utf8, plusIsSpace: plusIsSpace) else {
            throw Problem(message: "`\(encoded)` is not percent-encoded UTF-8")
        }
        return text
    }
}

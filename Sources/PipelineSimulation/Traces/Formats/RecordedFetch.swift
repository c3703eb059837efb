internal import Pipeline
internal import PipelineJSON

/// A fetch as `serve --record` wrote it.
public struct RecordedFetch: Hashable, Sendable {
    /// The attempt of a tier, and the time it took.
    public struct Tier: Hashable, Sendable {
        /// The name of the source.
        public let source: String
        /// The word that a trace of a fetch has: `hit`, `miss`, `error`.
        public let outcome: String
        /// The time it took, in milliseconds.
        public let milliseconds: Double
    }

    /// Nanoseconds since 1970.
    public let time: Int64
    /// The text of the key, or of its hash.
    public let key: String
    /// The policy of the fetch.
    public let policy: String
    /// `value`, `stale`, `not_found` or `failed`.
    public let outcome: String
    /// The tiers that were asked, in order.
    public let tiers: [Tier]
    /// The bytes of the value; nil without one.
    public let bytes: Int64?
    /// The version of the value; nil without one.
    public let version: String?

    /// The fetch that a line without its end stands for; nil for any other line.
    public init?(_ line: ArraySlice<UInt8>) {
        let text = Array(line)
        guard JSONScanner.problem(of: text) == nil, let object = JSONScanner.parts(of: text), object.isObject else { return nil }
        var members: [String: Range<Int>] = [:]
        for part in object.parts { members[part.name.map { JSONScalar.string(text, at: $0) } ?? ""] = part.value }
        func string(_ name: String) -> String? {
            guard let range = members[name], case .string(let value)? = JSONScalar(text, at: range) else { return nil }
            return value
        }
        func integer(_ name: String) -> Int64? {
            guard let range = members[name], case .number(let value)? = JSONScalar(text, at: range) else { return nil }
            return value.integer
        }
        guard let time = integer("t"), time >= 0, let key = string("key"), let policy = string("policy"), let outcome = string("outcome"),
            let tiers = members["tiers"].flatMap({ Self.tiers(text, $0) }), integer("bytes").map({ $0 >= 0 }) ?? true
        else { return nil }
        (self.time, self.key, self.policy, self.outcome, self.tiers) = (time, key, policy, outcome, tiers)
        bytes = integer("bytes")
        version = string("version")
    }

    private static func tiers(_ text: [UInt8], _ range: Range<Int>) -> [Tier]? {
        guard let list = JSONScanner.parts(of: text, at: range), !list.isObject else { return nil }
        var tiers: [Tier] = []
        for element in list.parts {
            guard let parts = JSONScanner.parts(of: text, at: element.value), !parts.isObject, parts.parts.count == 3,
                case .string(let source)? = JSONScalar(text, at: parts.parts[0].value),
                case .string(let outcome)? = JSONScalar(text, at: parts.parts[1].value),
                case .number(let number)? = JSONScalar(text, at: parts.parts[2].value), let milliseconds = Double(number.description)
            else { return nil }
            tiers.append(Tier(source: source, outcome: outcome, milliseconds: milliseconds))
        }
        return tiers
    }
}

/// Lines that `serve --record` and `fetch --record` wrote.
struct RecordedParser: TraceParser {
    var isTimed: Bool { true }
    var hasWholeSeconds: Bool { false }

    func next(_ feed: inout ByteFeed) throws(TraceError) -> TraceItem? {
        while let line = try feed.line() {
            if line.trimmed.isEmpty { continue }
            guard let fetch = RecordedFetch(line) else {
                throw feed.problem("is not a recorded fetch: \(line.quoted)")
            }
            guard let policy = FetchPolicy(rawValue: fetch.policy) else {
                throw feed.problem("has no policy that there is: \(line.quoted)")
            }
            return .request(
                RawRequest(time: fetch.time, key: .text(Array(fetch.key.utf8)[...]), size: fetch.bytes ?? 0, policy: policy))
        }
        return nil
    }
}

internal import PipelineConfig
internal import PipelineJSON
internal import PipelineNetwork

/// An origin that a pipeline asks, with the limits that the configuration sets.
struct DeclaredOrigin {
    let pipeline: String
    let source: String
    /// Nil where a parameter decides which host is asked.
    let origin: OriginID?
    /// As it is written, with secrets masked.
    private let url: String
    private let limits: [(name: String, value: String)]

    /// The origins of `plans`: the sources that have a `url` and are not caches.
    static func all(of plans: [PipelinePlan], in effective: EffectiveConfig) -> [DeclaredOrigin] {
        plans.flatMap { plan in
            plan.tiers.compactMap { tier -> DeclaredOrigin? in
                guard tier.source.isWritable == false, let fields = effective.root["sources"]?[tier.source.name],
                    let url = fields["url"]?.text?.replacing("$$", with: "$")
                else { return nil }
                let limits = names.compactMap { name in (fields["limits"]?[name] ?? fields[name])?.words.map { (name, $0) } }
                return DeclaredOrigin(pipeline: plan.name, source: tier.source.name, origin: origin(of: url), url: url, limits: limits)
            }
        }
    }

    /// What a controller goes by.
    private static let names = ["concurrency", "queue", "rate", "burst", "retry_budget"]

    /// Where a URL leads; nil when a parameter decides that.
    private static func origin(of url: String) -> OriginID? {
        guard let mark = url.firstRange(of: "://") else { return nil }
        let scheme = url[..<mark.lowerBound].lowercased()
        let authority = url[mark.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let place = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        guard !place.contains("{"), !place.isEmpty else { return nil }
        let hostEnd = place.hasPrefix("[") ? place.firstIndex(of: "]").map { place.index(after: $0) } : place.lastIndex(of: ":")
        let host = place[..<(hostEnd ?? place.endIndex)].filter { $0 != "[" && $0 != "]" }
        let port = hostEnd.flatMap { Int(place[$0...].drop { $0 == ":" }) } ?? (scheme == "https" ? 443 : 80)
        return OriginID(scheme: scheme, host: host, port: port)
    }
}

extension DeclaredOrigin {
    /// The heads of the columns.
    static let heads = ["PIPELINE", "SOURCE", "ORIGIN", "LIMITS"]

    /// A row of the table for people.
    var row: [String] {
        let words = limits.map { "\($0.name) \($0.value)" }.joined(separator: ", ")
        return [pipeline.printable, source.printable, (origin?.description ?? url).printable, words.isEmpty ? "-" : words.printable]
    }

    var json: JSONText {
        .object(
            [
                ("pipeline", .string(pipeline)), ("source", .string(source)), ("origin", .optional(origin?.description)),
                ("url", .string(url)),
            ] + limits.map { ($0.name, .string($0.value)) })
    }
}

extension EffectiveValue {
    /// The value on one line.
    fileprivate var words: String? {
        switch content {
        case .scalar(let scalar): scalar.text.isEmpty || scalar.text == "null" ? nil : scalar.text
        case .list(let elements): elements.compactMap(\.words).joined(separator: ", ")
        case .mapping(let members):
            "{ \(members.compactMap { member in member.value.words.map { "\(member.key): \($0)" } }.joined(separator: ", ")) }"
        }
    }
}

internal import PipelineConfig
internal import PipelineJSON
internal import PipelineNetwork

/// An origin that a pipeline asks, with the limits that the configuration sets.
struct DeclaredOrigin {
    let pipeline: String
    let source: String
    /// The origin; nil if a parameter decides which host is asked.
    let origin: OriginID?
    /// The scheme and the host, as they are written where a parameter decides.
    private let place: String
    /// The URL as it is written, with secrets masked.
    private let url: String
    /// The limits that the source itself declares.
    private let own: [(name: String, value: String)]
    /// The limits of these.
    private let ownLimits: OriginLimits
    /// The limits that hold.
    private var limits: [(name: String, value: String)] = []

    /// The origins of `plans`: the sources that have a `url` and are not caches. Of the limits those that hold when all pipelines of `every`
    /// run in one process.
    static func all(of plans: [PipelinePlan], among every: [PipelinePlan], in effective: EffectiveConfig) -> [DeclaredOrigin] {
        let others = every.flatMap { all(of: $0, in: effective) }
        return plans.flatMap { all(of: $0, in: effective) }.map { origin in
            var origin = origin
            origin.limits = origin.limits(with: others.filter { origin.origin != nil && $0.origin == origin.origin })
            return origin
        }
    }

    private static func all(of plan: PipelinePlan, in effective: EffectiveConfig) -> [DeclaredOrigin] {
        plan.tiers.compactMap { tier in
            guard tier.source.isWritable == false, let fields = effective.root["sources"]?[tier.source.name] else { return nil }
            return DeclaredOrigin(fields, of: tier.source.name, in: plan.name)
        }
    }

    /// Reads the fields of a source; nil if it has no `url`.
    private init?(_ fields: EffectiveValue, of source: String, in pipeline: String) {
        guard let url = fields["url"]?.text?.replacing("$$", with: "$") else { return nil }
        (self.pipeline, self.source, self.url) = (pipeline, source, url)
        (origin, place) = Self.origin(of: url)
        own = Self.names.compactMap { name in (fields["limits"]?[name] ?? fields[name])?.words.map { (name, $0) } }
            .filter { $0 != ("resume", "false") }
        ownLimits = OriginLimits(fields)
    }

    /// The names of the limits that a controller goes by, and of those that a source has for itself.
    private static let names = ["concurrency", "queue", "rate", "burst", "rest", "retry_budget", "hedge", "resume"]

    /// The limits that hold if `others` ask the same origin: the strictest of each, as one of them says it.
    private func limits(with others: [DeclaredOrigin]) -> [(name: String, value: String)] {
        let strictest = others.reduce(ownLimits) { $0.strictest($1.ownLimits) }
        func held(_ name: String, where isSame: (OriginLimits) -> Bool) -> String? {
            ([self] + others).first { isSame($0.ownLimits) }?.own.first { $0.name == name }?.value
        }
        return Self.names.compactMap { name in
            let value =
                switch name {
                case "concurrency":
                    held(name) { $0.concurrency == strictest.concurrency } ?? strictest.concurrency.words
                case "queue": held(name) { $0.queue == strictest.queue }
                case "rate": strictest.rate == nil ? nil : held(name) { $0.rate == strictest.rate }
                case "burst": strictest.rate == nil ? nil : "\(strictest.burst)"
                case "rest": held(name) { $0.rest == strictest.rest }
                case "retry_budget": held(name) { $0.retryBudget == strictest.retryBudget }
                default: own.first { $0.name == name }?.value
                }
            return value.map { (name, $0) }
        }
    }

    /// The origin that a URL leads to, and its place; no origin if a parameter decides that.
    private static func origin(of url: String) -> (OriginID?, place: String) {
        guard let mark = url.firstRange(of: "://") else { return (nil, url) }
        let scheme = url[..<mark.lowerBound].lowercased()
        let authority = url[mark.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let place = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let hostEnd = place.hasPrefix("[") ? place.firstIndex(of: "]").map { place.index(after: $0) } : place.lastIndex(of: ":")
        let host = place[..<(hostEnd ?? place.endIndex)].filter { $0 != "[" && $0 != "]" }
        let port = hostEnd.flatMap { Int(place[$0...].drop { $0 == ":" }) } ?? (scheme == "https" ? 443 : 80)
        guard !place.contains("{") else {
            let isUsual = port == (scheme == "https" ? 443 : 80) && !place[(hostEnd ?? place.endIndex)...].contains("{")
            return (nil, "\(scheme)://\(isUsual ? place[..<(hostEnd ?? place.endIndex)] : place)")
        }
        guard !place.isEmpty else { return (nil, url) }
        let origin = OriginID(scheme: scheme, host: host, port: port)
        return (origin, origin.description)
    }
}

extension DeclaredOrigin {
    /// The heads of the columns.
    static let heads = ["PIPELINE", "SOURCE", "ORIGIN", "LIMITS"]

    /// A row of the table for people.
    var row: [String] {
        let words = limits.map { "\($0.name) \($0.value)" }.joined(separator: ", ")
        return [pipeline.printable, source.printable, place.printable, words.isEmpty ? "-" : words.printable]
    }

    var json: JSONText {
        .object(
            [
                ("pipeline", .string(pipeline)), ("source", .string(source)), ("origin", .optional(origin?.description)),
                ("url", .string(url)),
            ] + limits.map { ($0.name, Self.json($0.value)) })
    }

    /// The JSON of a limit: a number if it is one in the file.
    private static func json(_ value: String) -> JSONText {
        Double(value)?.isFinite == true && JSONScanner.problem(of: Array(value.utf8)) == nil ? .number(value) : .string(value)
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

extension OriginLimits {
    /// The limits that these fields of a source set, defaults written out. What cannot be read here counts as its default.
    fileprivate init(_ fields: EffectiveValue) {
        self.init()
        let limits = fields["limits"]
        if let bounds = limits?["concurrency"] {
            func number(_ name: String, or standard: Int) -> Int { bounds[name]?.text.flatMap { Int($0) } ?? standard }
            concurrency =
                bounds.text.flatMap { Int($0) }.map(Concurrency.fixed) ?? .auto(begin: number("begin", or: 6), max: number("max", or: 256))
        }
        queue = limits?["queue"]?.text.flatMap { Int($0) } ?? queue
        burst = limits?["burst"]?.text.flatMap { Int($0) } ?? burst
        rest = limits?["rest"]?.text.flatMap(Rest.init) ?? rest
        rate = limits?["rate"]?.text.flatMap(Self.perSecond)
        retryBudget = fields["retry_budget"]?.text.flatMap { try? Quantity.ratio($0).value } ?? retryBudget
    }

    /// The number of `600/m`, in a second.
    private static func perSecond(_ rate: String) -> Double? {
        let parts = rate.filter { $0 != " " }.split(separator: "/")
        let units: [Substring: Double] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard parts.count == 2, let count = Double(parts[0]), let unit = units[parts[1]] else { return nil }
        return count / unit
    }
}

extension OriginLimits.Concurrency {
    /// The words that the file would have for it.
    fileprivate var words: String {
        switch self {
        case .fixed(let number): "\(number)"
        case .auto(let begin, let max): "{ begin: \(begin), max: \(max) }"
        }
    }
}

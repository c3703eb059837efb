internal import Pipeline

/// The paths of an access log that are fetches of a pipeline: `/users/{user}`, `/search?text={query}`.
public struct PathPattern: Hashable, Sendable {
    private enum Part: Hashable {
        case text(String)
        case parameter(String)

        init?(_ text: Substring) {
            let isBraced = text.hasPrefix("{") && text.hasSuffix("}")
            guard isBraced || !text.contains("{") && !text.contains("}") else { return nil }
            if isBraced {
                guard text.count > 2 else { return nil }
                self = .parameter(String(text.dropFirst().dropLast()))
            } else {
                guard let text = PercentEncoding.decoded(text.utf8) else { return nil }
                self = .text(text)
            }
        }

        var parameter: String? { if case .parameter(let name) = self { name } else { nil } }
    }

    private let segments: [Part]
    private let query: [String: Part]

    /// The pattern that `text` spells. Each part of the path, and each value of the query, is text or the name of a parameter in braces.
    public init(_ text: String) throws(TraceError) {
        let problem = TraceError("`\(text)` is not a pattern of paths", help: "write it as in `/users/{user}` or `/search?text={query}`")
        let sides = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = sides.first, path.hasPrefix("/") else { throw problem }
        var segments: [Part] = []
        for segment in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard let part = Part(segment) else { throw problem }
            segments.append(part)
        }
        var query: [String: Part] = [:]
        for pair in (sides.count > 1 ? sides[1] : "").split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2, let part = Part(sides[1]), query.updateValue(part, forKey: String(sides[0])) == nil
            else { throw problem }
        }
        self.segments = segments
        self.query = query
        guard Set(parameters).count == parameters.count else { throw TraceError("`\(text)` names a parameter twice") }
    }

    /// The pattern of what `serve` answers for a pipeline with these parameters.
    init(pipeline: String, parameters: [String]) {
        segments = [.text(pipeline)]
        query = Dictionary(parameters.map { ($0, .parameter($0)) }) { first, _ in first }
    }

    /// The parameters that it names.
    var parameters: [String] { (segments + query.values).compactMap(\.parameter) }

    /// The arguments in the target of a request; nil for one that does not match. What is not given is left out.
    ///
    /// - Parameter isExact: whether a query with other names does not match.
    func arguments(in target: String, isExact: Bool) -> [String: String]? {
        let target = Self.withoutHost(target)
        let sides = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = sides.first, path.hasPrefix("/") else { return nil }
        let texts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        guard texts.count == segments.count else { return nil }
        var arguments: [String: String] = [:]
        for (part, text) in zip(segments, texts) {
            guard let value = PercentEncoding.decoded(text.utf8), Self.take(value, part, &arguments) else { return nil }
        }
        var needed = query.filter { $0.value.parameter == nil }
        for pair in (sides.count > 1 ? sides[1] : "").split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decoded(sides[0].utf8, plusIsSpace: true),
                let value = PercentEncoding.decoded((sides.count > 1 ? sides[1] : "").utf8, plusIsSpace: true)
            else { return nil }
            guard let part = query[name] else {
                if isExact { return nil }
                continue
            }
            guard Self.take(value, part, &arguments) else { return nil }
            needed[name] = nil
        }
        return needed.isEmpty ? arguments : nil
    }

    /// Indicates whether the part matches; a parameter takes the value, once.
    private static func take(_ value: String, _ part: Part, _ arguments: inout [String: String]) -> Bool {
        switch part {
        case .text(let text): value.utf8.elementsEqual(text.utf8)
        case .parameter(let name): arguments.updateValue(value, forKey: name) == nil
        }
    }

    /// Proxies log targets with scheme and host.
    private static func withoutHost(_ target: String) -> Substring {
        for scheme in ["http://", "https://"] where target.hasPrefix(scheme) {
            let rest = target.dropFirst(scheme.count)
            return rest.firstIndex(of: "/").map { rest[$0...] } ?? "/"
        }
        return target[...]
    }
}

internal import Pipeline
internal import PipelineJSON

extension FieldAdvice {
    /// How that is written which `member` wishes for at `place`, and which no field has the name of; nil where nothing is known of it.
    func helpForWish(of member: ConfigNode.Member, at place: Place) -> String? {
        let name = member.key.lowercased().replacing("-", with: "_")
        let value = decoder.secrets.holds(member.value.range) ? nil : member.value.onOneLine
        switch place {
        case .part: return wishOfPart(name, member.value, value)
        case .source(_, let fields) where fields.contains(where: { $0.name == "headers" }): return wishOfRequest(name, value)
        case .source(_, let fields) where name == "max_size" && !fields.contains(where: { $0.name == name }):
            return fields.contains { $0.name == "max_bytes" } ? "write `max_bytes: \(value ?? "…")`" : nil
        case .pipeline: return wishOfPipeline(name, member.value, value)
        case .parameter: return wishOfParameter(name, member.value)
        default: return nil
        }
    }

    private func wishOfPart(_ name: String, _ node: ConfigNode, _ value: String?) -> String? {
        switch name {
        case "required", "mandatory", "needed":
            return CoreSchema.bool(node.target.scalarText ?? "") == false
                ? "write `optional: true`" : "remove it: a part is required unless it has `optional: true` or a `default`"
        case "pick" where node.target.scalarText == nil:
            return
                "`pick` stands beside `of` in the `combine` of a pipeline: `combine: { of: NAME, pick: \(value ?? "…") }`; a part of another names that pipeline"
        case "pick", "path", "at", "pointer", "field", "jsonpath", "extract":
            let pointer = node.target.scalarText.flatMap { $0.isEmpty ? nil : JSONPointer.meant(by: $0)?.description }
            return "the place to use in its value stands in `select`: `select: \(pointer ?? "/PLACE")`"
        case _ where OtherName.field(name, among: ["with"]) != nil:
            return "its arguments stand in `with`: `with: \(value.map { $0.hasPrefix("{") ? $0 : "{ NAME: VALUE }" } ?? "{ NAME: VALUE }")`"
        default: return nil
        }
    }

    /// Credentials and other headers of a request.
    private func wishOfRequest(_ name: String, _ value: String?) -> String? {
        switch name {
        case "auth", "authorization", "authentication", "token", "bearer", "bearer_token", "access_token", "auth_token":
            return "a token is sent in a header: `headers: { Authorization: \"Bearer ${TOKEN}\" }`"
        case "username", "user", "password", "basic_auth", "basic", "credentials":
            return "a user and a password are sent in a header, in Base64: `headers: { Authorization: \"Basic ${CREDENTIALS}\" }`"
        case "api_key", "apikey": return "a key is sent in a header: `headers: { X-API-Key: \"${API_KEY}\" }`"
        case "accept", "content_type", "user_agent", "cookie", "accept_language", "referer", "origin":
            let header = name.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: "-")
            return "write `headers: { \(header): \(value ?? "…") }`"
        default: return nil
        }
    }

    private func wishOfPipeline(_ name: String, _ node: ConfigNode, _ value: String?) -> String? {
        switch name {
        case "poll", "polling", "refresh", "refresh_every", "refresh_interval", "interval", "every", "schedule", "cron", "reload":
            let time = value.flatMap { (try? Quantity.duration($0)) == nil ? nil : $0 } ?? "5m"
            return Self.helpForPolling(every: time)
        case "auth", "authorization", "authentication", "token", "bearer", "bearer_token", "access_token", "api_key", "password":
            return "it belongs to the source that is asked, under `sources`: `headers: { Authorization: \"Bearer ${TOKEN}\" }`"
        case "concurrency", "max_concurrency", "rate", "rate_limit", "burst":
            let field = name.replacing("max_", with: "").replacing("_limit", with: "")
            return "it belongs to the source that is asked, under `sources`: `limits: { \(field): \(value ?? "…") }`"
        case "cache", "caches":
            let named = node.target.scalarText.flatMap { Identifier.isValid($0) && CoreSchema.bool($0) == nil ? $0 : nil }
            let cache = named ?? decoder.known.samples.cache ?? "memory"
            return "a cache is a tier: name it first in `tiers`, as in `tiers: [\(cache), \(decoder.known.samples.origin ?? "api")]`"
        case "source", "origin":
            return "write `tiers: [\(node.target.scalarText.flatMap { Identifier.isValid($0) ? $0 : nil } ?? "SOURCE")]`"
        case "sources" where !node.target.members.isEmpty:
            return "sources are declared beside `pipelines`, at the top of the file: move it there"
        case "fallback", "default", "otherwise":
            return
                "declare `fallback: { type: inline, value: \(value ?? "…") }` under `sources`, and name it last in `tiers`"
        default: return nil
        }
    }

    /// The way to a value that is loaded again by time.
    static func helpForPolling(every time: String) -> String {
        "to load it again by time, declare `tick: { type: poll, every: \(time) }` under `sources`, and name it here: `live: [tick]`"
    }

    private func wishOfParameter(_ name: String, _ node: ConfigNode) -> String? {
        switch name {
        case "required": return "remove it: a parameter without a `default` must be given"
        case "type", "format", "kind": return "remove it: each parameter is text"
        case "value": return "write `default: \(node.onOneLine ?? "VALUE")`"
        default: return nil
        }
    }
}

internal import Pipeline
import PipelineComposing

/// What to write instead of a field that stands at the wrong place, or that wishes for something that has another form.
struct FieldAdvice {
    /// What has fields.
    enum Place: FieldPlace {
        case configuration
        case source(String, fields: [FieldDeclaration])
        case pipeline
        case tier(source: String?)
        case feed(source: String?)
        case combine
        case part
        case parameter
        case send
        case change

        func help(for member: ConfigNode.Member, with decoder: FieldDecoder) -> String? {
            FieldAdvice(decoder: decoder).help(for: member, at: self)
        }

        func helpForOtherName(of member: ConfigNode.Member, with decoder: FieldDecoder) -> String? {
            FieldAdvice(decoder: decoder).helpForOtherName(of: member, at: self)
        }

        func fieldMeant(by member: ConfigNode.Member, with decoder: FieldDecoder) -> String? {
            FieldAdvice(decoder: decoder).fieldMeant(by: member, at: self)
        }

        /// The source that a tier or a feed names.
        fileprivate var named: String? {
            switch self {
            case .tier(let source), .feed(let source): source
            default: nil
            }
        }
    }

    let decoder: FieldDecoder

    /// Where the field `member` belongs, which stands at `place` and has a meaning elsewhere; nil when it has none.
    func help(for member: ConfigNode.Member, at place: Place) -> String? {
        helpForWish(of: member, at: place) ?? help(for: member, as: member.key, at: place)
    }

    /// Where the field `member` belongs, which has another name here; nil if nowhere.
    func helpForOtherName(of member: ConfigNode.Member, at place: Place) -> String? {
        OtherName.all(for: member.key).lazy.compactMap { self.help(for: member, as: $0, at: place) }.first
    }

    private func help(for member: ConfigNode.Member, as name: String, at place: Place) -> String? {
        let value = decoder.secrets.holds(member.value.range) ? nil : member.value.onOneLine
        let written = value.map { "\(name): \($0)" } ?? "\(name): …"
        let (isOfTier, isOfPipeline) = (Self.tierFields.contains(name), Self.pipelineFields.contains(name))
        let isOfFeed = Self.feedFields.contains(name)
        if let help = helpForInner(name, value, at: place) { return help }
        switch place {
        case .parameter: return nil
        case .send where name == "pipeline": return "it belongs to a change: `changes: [{ \(written) }]`"
        case .send where Self.changeFields.contains(name): return "it belongs to a change: `changes: [{ pipeline: NAME, \(written) }]`"
        case .send where name == PipelineField.tiers.rawValue || name == PipelineField.live.rawValue:
            return "it belongs to a pipeline: a send names the source that takes it in `to`"
        case .send where name == "url" || name == "method" || name == "headers" || name == "body":
            return "it belongs to the source that `to` names, under `sources`: `\(written)`"
        case .send: return nil
        case .change where Self.sendFields.contains(name): return "it belongs to the send, beside `changes`: `\(written)`"
        case .change: return nil
        case .source(let source, _) where isOfTier && name == TierField.retry.rawValue && member.key != name:
            let inner = OtherName.all(for: member.key).first { ["attempts", "base"].contains($0) } ?? "attempts"
            let retry = value.flatMap { $0.hasPrefix("{") ? $0 : nil } ?? "{ \(inner): \(value ?? "…") }"
            return "it belongs to the tier that names the source, under `tiers`: `{ source: \(source.inFlow.shortened), retry: \(retry) }`"
        case .source(let source, _) where isOfTier:
            return "it belongs to the tier that names the source, under `tiers`: `{ source: \(source.inFlow.shortened), \(written) }`"
        case .source(let source, _) where isOfFeed && !decoder.known.types.contains { $0.fields.contains(name) }:
            return "it belongs to the feed that names the source, under `live`: `{ source: \(source.inFlow.shortened), \(written) }`"
        case .feed where isOfTier: return "it belongs to a tier, under `tiers`: `{ source: NAME, \(written) }`"
        case .tier where isOfFeed: return "it belongs to a feed, under `live`: `{ source: NAME, \(written) }`"
        case .source, .tier, .feed:
            return isOfPipeline ? "it belongs to the pipeline, beside `tiers`: `\(written)`" : helpForSourceField(name, at: place)
        case .pipeline where CombineConfig.ownFields.contains(name):
            return "it belongs to `combine`: indent it below that"
        case .pipeline where name == TierField.timeout.rawValue:
            return value.map { "write `deadline: \($0)` for the time of the whole fetch" }
        case .pipeline where isOfTier: return "it belongs to a tier, under `tiers`: `{ source: NAME, \(written) }`"
        case .pipeline where isOfFeed: return "it belongs to a feed, under `live`: `{ source: NAME, \(written) }`"
        case .pipeline where Self.sendFields.contains(name) && name == member.key:
            return "it belongs to a send: `sends: { NAME: { to: SOURCE, \(written) } }`"
        case .pipeline: return helpForSourceField(name, at: place)
        case .combine where isOfPipeline: return "it belongs to the pipeline, beside `combine`: `\(written)`"
        case .combine: return name == member.key ? helpInCombine(for: member, written) : nil
        case .part where name == PipelineField.links.rawValue:
            return "links are declared in the pipeline that the part names; `follow: [LINK]` follows one here"
        case .part where name == PipelineField.deadline.rawValue: return "write `timeout: \(value ?? "…")` for the time of the part"
        case .part where isOfPipeline || isOfTier: return "it belongs to the pipeline that the part names"
        case .part where name == Self.sourceField:
            return "a part names a pipeline: `pipeline: \(member.value.scalarText == nil ? "NAME" : value ?? "NAME")`"
        case .part where name == "url": return "a URL belongs to a source, under `sources`; a part names a pipeline: `pipeline: NAME`"
        case .part:
            return OtherName.field(name, among: Self.partFields) == nil ? "an argument stands below `with`: `with: { \(written) }`" : nil
        case .configuration where isOfPipeline: return "it belongs to a pipeline: `pipelines: { NAME: { \(written) } }`"
        case .configuration where isOfTier: return "it belongs to a tier of a pipeline: `{ source: NAME, \(written) }`"
        case .configuration:
            let fields = member.value.target.members
            if fields.contains(where: { $0.key == "type" }) { return "it looks like a source: indent it below `sources:`" }
            if fields.contains(where: { $0.key == "tiers" }) { return "it looks like a pipeline: indent it below `pipelines:`" }
            if fields.contains(where: { $0.key == "to" }) { return "it looks like a send: indent it below `sends:`" }
            return helpForSourceField(name, at: place)
        }
    }

    /// The field that `member` stands for at `place`, which is not missing then: a source where a pipeline is named.
    func fieldMeant(by member: ConfigNode.Member, at place: Place) -> String? {
        switch place {
        case .part where member.key == Self.sourceField: "pipeline"
        case .part where isArgument(member, at: place): "with"
        case .pipeline where ["source", "cache", "caches", "origin"].contains(member.key): "tiers"
        default: nil
        }
    }

    /// Whether `member` of a part is an argument of its pipeline, by its name.
    private func isArgument(_ member: ConfigNode.Member, at place: Place) -> Bool { decoder.known.parameters.contains(member.key) }

    /// The mapping beside `name` that has a field of this name: `limits: { concurrency: 4 }`.
    private func helpForInner(_ name: String, _ value: String?, at place: Place) -> String? {
        let fields: [FieldDeclaration] =
            switch place {
            case .source(_, let fields): fields
            case .tier: TierConfig.fields.declarations
            default: []
            }
        let outer = fields.first { $0.type.fieldsWithin.contains { $0.name == name } && !fields.contains { $0.name == name } }
        return outer.map { "it belongs to `\($0.name)`: write `\($0.name): { \(name): \(value ?? "…") }`" }
    }

    private func helpInCombine(for member: ConfigNode.Member, _ written: String) -> String? {
        let name = member.key
        // Most likely the name of a part, written where `object` is missing, or as far to the left as that.
        if namesPipeline(member.value.target) { return "a part stands below `object`: `object: { \(written) }`" }
        if Self.cacheFields.contains(name) { return "it belongs to the tier of a cache, under `tiers`: `{ source: NAME, \(written) }`" }
        if Self.tierFields.contains(name) { return "it belongs to the tier: `{ source: \(CompositeSpec.placeName), \(written) }`" }
        if name == "pipeline" { return "it belongs to a part: `of: { \(written) }`" }
        if Self.partFields.contains(name) { return "it belongs to a part: `of: { pipeline: NAME, \(written) }`" }
        return nil
    }

    /// Whether `node` is written as a part: the name of a pipeline, or a mapping that names one.
    private func namesPipeline(_ node: ConfigNode) -> Bool {
        guard let text = node.scalarText else { return node.members.contains { $0.key == "pipeline" } }
        return decoder.nearest(to: text, among: decoder.known.pipelinesSection?.target.members.map(\.key) ?? []).name != nil
    }

    private func helpForSourceField(_ name: String, at place: Place) -> String? {
        let types = decoder.known.types.filter { $0.fields.contains(name) }.map { "`\($0.name)`" }
        guard !types.isEmpty else { return nil }
        if case .source = place {
            return "`\(name)` is a field of sources of the type \(types.joined(separator: ", "))"
        }
        if let source = place.named { return "it belongs to the source `\(source.shortened)`, under `sources`" }
        return types.count > 3
            ? "it belongs to a source, under `sources`"
            : "it belongs to a source of the type \(types.joined(separator: " or ")), under `sources`"
    }

    private static let sourceField = "source"
    /// The fields of a tier that mean something for caches only.
    private static let cacheFields = TierField.allCases.filter { $0.isOfCopies || $0 == .reads }.map(\.rawValue)
    private static let partFields = PartConfig.fields.declarations.map(\.name)
    private static let tierFields = TierConfig.policyNames
    private static let feedFields = FeedConfig.fields.declarations.map(\.name).filter { $0 != "source" }
    private static let pipelineFields = DeclaredPipeline.fieldNames
    private static let changeFields = ChangeConfig.declarations.map(\.name)
    /// The fields of a send that nothing else has.
    private static let sendFields = [
        SendField.outbox, .answer, .scope, .coalesce, .idHeader, .idLifetime, .ifMatch, .onConflict,
    ].map(\.rawValue)
}

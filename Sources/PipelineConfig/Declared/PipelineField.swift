internal import Pipeline

/// A field of a pipeline: its name, type, default, range, documentation and what it sets, declared here alone.
///
/// All that must know each field switches over the cases, so that the compiler names the places where a new one is missing.
package enum PipelineField: String, CaseIterable, Sendable {
    case description
    case parameters
    case format
    case combine
    case tiers
    case links
    case live
    case writeBack = "write_back"
    case staleWhileRevalidate = "stale_while_revalidate"
    case staleIfError = "stale_if_error"
    case notFoundTTL = "not_found_ttl"
    case refreshAhead = "refresh_ahead"
    case priority
    case deadline
    case maxSize = "max_size"

    /// How it is read, and what it sets.
    var setting: FieldSetting<DeclaredPipeline.Draft> {
        switch self {
        case .description:
            .init(Field(rawValue, default: String?.none, "What the pipeline is for.")) { $0.description = $1 }
        case .parameters:
            .init(Field(rawValue, default: ParameterList.none, "The arguments of a fetch.", example: "[user]")) { $0.parameters = $1 }
        case .format:
            .init(
                Field(
                    rawValue, default: PayloadFormat.json,
                    "The format of the payloads. A payload of another format is `invalid`, which counts as a failure.")
            ) { $0.policy.format = $1 }
        case .combine:
            .init(
                Field(
                    rawValue, default: CombineConfig?.none,
                    """
                    How the value is made from those of other pipelines. Name `combine` in `tiers` to place it; otherwise it is asked last.
                    """,
                    example: "{ object: { me: user, friends: friends } }")
            ) { $0.combine = $1 }
        case .tiers:
            .init(
                Field(rawValue, default: TierList.none, "The sources to ask, from the top down.", example: "[memory, api]")
                    .required(unless: Self.combine.rawValue)
            ) { $0.tiers = $1 }
        case .links:
            .init(
                Field(
                    rawValue, default: LinkList.none,
                    "The references in the value to values of other pipelines. Linked values load only when followed.",
                    example: "{ author: { at: /author_id, pipeline: user } }")
            ) { $0.links = $1 }
        case .live:
            .init(
                Field(
                    rawValue, default: FeedList.none,
                    "Sources that report changes to the value, and what their messages do: load the value again, or change its list.",
                    example: "[{ source: events, id: /id }]")
            ) { $0.feeds = $1 }
        case .writeBack:
            .init(Field(rawValue, default: DeclaredWriteBack.auto, "Which caches an answer is written to.")) {
                ($0.writeBack, $0.policy.writeBack) = ($1, $1.policy)
            }
        case .staleWhileRevalidate:
            .init(
                Field(
                    rawValue, default: Duration?.none,
                    "How long after expiry a copy is still served while it is refreshed in the background.")
            ) { $0.policy.staleWhileRevalidate = $1 }
        case .staleIfError:
            .init(
                Field(rawValue, default: Duration?.none, "How long after expiry a copy is still served when the tiers below fail.")
            ) { $0.policy.staleIfError = $1 }
        case .notFoundTTL:
            .init(Field(rawValue, default: Duration?.none, "How long an origin's `not_found` is remembered.")) {
                $0.policy.notFoundTTL = $1
            }
        case .refreshAhead:
            .init(
                Field(
                    rawValue, default: Ratio?.none, range: OpenRange(after: Ratio(0), before: Ratio(1)),
                    "The part of the ttl after which a read starts a refresh in the background.")
            ) { $0.policy.refreshAhead = $1?.value }
        case .priority:
            .init(
                Field(
                    rawValue, default: PriorityWord.normal,
                    """
                    The priority of its fetches when requests must wait for an origin. A fetch may set its own; \
                    background refreshes always have `background`.
                    """)
            ) { $0.policy.priority = $1.priority }
        case .deadline:
            .init(
                Field(rawValue, default: Duration?.none, range: OpenRange(after: Duration.zero), "The longest time for the whole fetch.")
            ) { $0.policy.deadline = $1 }
        case .maxSize:
            .init(
                Field(
                    rawValue, default: Size.mebibytes(64), range: Size(bytes: 1)...,
                    "The largest payload that `put` stores. The `max_size` of a source limits what it loads.")
            ) { $0.policy.maxSize = $1 }
        }
    }
}

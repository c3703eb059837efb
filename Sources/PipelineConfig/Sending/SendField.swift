internal import Pipeline
internal import PipelineSending

/// A field of a send: its name, type, default, range, documentation and what it sets, declared here alone.
///
/// All that must know each field switches over the cases, so that the compiler names the places where a new one is missing.
package enum SendField: String, CaseIterable, Sendable {
    case description
    case parameters
    case format
    case to
    case outbox
    case changes
    case answer
    case order
    case scope
    case priority
    case debounce
    case maxDelay = "max_delay"
    case coalesce
    case retry
    case expires
    case idHeader = "id_header"
    case idLifetime = "id_lifetime"
    case ifMatch = "if_match"
    case onConflict = "on_conflict"

    /// How it is read, and what it sets.
    var setting: FieldSetting<SendConfig.Draft> {
        switch self {
        case .description: .init(Field(rawValue, default: String?.none, "What the send is for.")) { $0.description = $1 }
        case .parameters:
            .init(Field(rawValue, default: ParameterList.none, "The arguments of a send.", example: "[user]")) { $0.parameters = $1 }
        case .format:
            .init(
                Field(
                    rawValue, default: PayloadFormat.json,
                    "The format of the payloads. A payload of another format is refused. An empty payload is no body.")
            ) { $0.format = $1 }
        case .to:
            .init(
                Field<String>(
                    rawValue,
                    "The source that takes the writes: one of the type `http` whose method is `POST`, `PUT`, `PATCH` or `DELETE`. The payload is the body.",
                    example: "add")
            ) { $0.to = $1 }
        case .outbox:
            .init(
                Field(
                    rawValue, default: String?.none,
                    "The source of the type `outbox` that keeps sends until they are done. By default, the only one.", example: "outbox")
            ) { $0.outbox = $1 }
        case .changes:
            .init(
                Field(
                    rawValue, default: ChangeList.none,
                    "What a send does to values: at once where they are read, and for good once it is sent.",
                    example: "[{ pipeline: friends, op: upsert }]")
            ) { $0.changes = $1 }
        case .answer:
            .init(
                Field(
                    rawValue, default: AnswerPlaces?.none,
                    "Where the answer's body has what was made. Without it, nothing of the body is used.", example: "{ item: /friend }")
            ) { $0.answer = $1 }
        case .order:
            .init(
                Field(
                    rawValue, default: SendOrder.key,
                    "Whether a send waits for earlier ones that change the same value (`key`), or for none of them.")
            ) { $0.isOrdered = $1 == .key }
        case .scope:
            .init(
                Field(
                    rawValue, default: SendTemplate?.none,
                    "A text with parameters of the send. A send also waits for earlier ones of any kind with the same text.",
                    example: "account {user}")
            ) { $0.scope = $1 }
        case .priority:
            .init(
                Field(
                    rawValue, default: PriorityWord.high,
                    "The priority when requests must wait for an origin. With `high`, one may go out beyond the limit of requests.")
            ) { $0.priority = $1.priority }
        case .debounce:
            .init(
                Field(
                    rawValue, default: Duration.zero,
                    "A quiet time before the first try, counted from the last send with this name, these arguments and targets: time to take it back.",
                    example: "2s")
            ) { $0.debounce = $1 }
        case .maxDelay:
            .init(
                Field(
                    rawValue, default: Duration?.none, range: OpenRange(after: Duration.zero),
                    "The longest time that `debounce` lets a send wait; 10 × `debounce` by default.", example: "30s")
            ) { $0.maxDelay = $1 }
        case .coalesce:
            .init(
                Field(
                    rawValue, default: Coalescing.none,
                    "With `last`, a send takes the place of an earlier one with the same name, arguments and targets that was never tried.")
            ) { $0.replacesUntried = $1 == .last }
        case .retry:
            .init(Field(rawValue, default: SendRetry(), "The pauses between tries, and how many may fail.")) { $0.retry = $1 }
        case .expires:
            .init(
                Field(
                    rawValue, default: SendExpiry(limit: .seconds(7 * 86_400)), range: OpenRange(after: SendExpiry(limit: .zero)),
                    "The age at which a send fails that is not sent, or `none`.")
            ) { $0.expires = $1.limit }
        case .idLifetime:
            .init(
                Field(
                    rawValue, default: Duration.seconds(86_400), range: OpenRange(after: Duration.zero),
                    "How long the origin remembers an id. A `POST` or `PATCH` is not repeated later than that.")
            ) { $0.idLifetime = $1 }
        case .ifMatch:
            .init(
                Field(
                    rawValue, default: SendCondition.none,
                    "Whether the origin makes the change only if the value is still what was seen: by its `ETag`, or by the tag at a place in the item.",
                    example: "etag")
            ) { $0.condition = $1 }
        case .onConflict:
            .init(
                Field(
                    rawValue, default: ConflictRule.fail,
                    "What follows a conflict: the send fails, is tried again with the tag of what is loaded (`refetch`), is tried again without a condition (`keep`), or is given up (`drop`)."
                )
            ) { $0.onConflict = $1 }
        case .idHeader:
            .init(
                Field(
                    rawValue, default: IDHeaderChoice?.none,
                    "The header field in which the id of a send goes out, by which the origin recognises a repeated one, or `none`. By default `Idempotency-Key` for `POST` and `PATCH`, else `none`.",
                    example: "Idempotency-Key")
            ) { $0.idHeader = $1 }
        }
    }
}

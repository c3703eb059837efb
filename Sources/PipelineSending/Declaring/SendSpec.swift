public import Pipeline
public import PipelineJSON
public import PipelineLive

/// A kind of write: where it goes, and what it does to the values of pipelines.
///
/// ```swift
/// var add = SendSpec("add_friend", parameters: ["user"], to: api, outbox: outbox)
/// let id = JSONPointer(tokens: ["id"])
/// add.changes = [SendChange(of: "friends", .upsert, merging: MergePolicy(id: [id], insertion: .last))]
/// ```
public struct SendSpec: Sendable {
    /// The name.
    public let name: String
    /// The parameters, each with a name of its own.
    public var parameters: [ParameterSpec]
    /// The source that takes the writes: a ``SendingSource``.
    public let target: SourceSpec
    /// The outbox that keeps them until they are done.
    public let outbox: SourceSpec
    /// The format of a payload. An empty payload is of every format.
    public var format = PayloadFormat.json
    /// What a send does to values, in order.
    public var changes: [SendChange] = []
    /// Where the answer has an item and its id; nil if nothing of its body is used.
    public var answer: AnswerPlaces?
    /// Indicates whether a send waits for earlier ones that change a key of its own.
    public var isOrdered = true
    /// A text: a send also waits for earlier ones whose text is the same, of whatever kind. Nil for none.
    public var scope: SendText?
    /// The priority at the origin.
    public var priority = Priority.high
    /// The quiet time before the first try, counted from the last send of the same name, arguments and targets.
    public var debounce = Duration.zero
    /// The longest time that ``debounce`` keeps a send waiting; nil for ten times as long as that.
    public var maxDelay: Duration?
    /// Indicates whether a send takes the place of an earlier one of the same name, arguments and targets that was never tried.
    public var replacesUntried = false
    /// The pauses between tries, and how many may fail.
    public var retry = SendRetry()
    /// The age at which a send fails that is not sent; nil for none.
    public var expires: Duration? = .seconds(7 * 86_400)
    /// The field in which the id goes out; nil for none.
    public var idHeader: IDHeader? = IDHeader()
    /// How long the origin remembers an id. A write that only its id makes repeatable is not repeated later than that.
    public var idLifetime = Duration.seconds(86_400)
    /// The condition under which the origin makes the change.
    public var condition = SendCondition.none
    /// What follows when the origin finds a conflict.
    public var onConflict = ConflictRule.fail

    /// A kind of write to `target`, kept in `outbox` until it is done.
    public init(_ name: String, parameters: [ParameterSpec] = [], to target: SourceSpec, outbox: SourceSpec) {
        (self.name, self.parameters, self.target, self.outbox) = (name, parameters, target, outbox)
    }
}

/// What a send does to the values of one pipeline.
public struct SendChange: Sendable {
    /// The operation.
    ///
    /// New cases may come: switch with a `default`.
    public enum Operation: String, Sendable, CaseIterable {
        /// The item takes the place of the one with its id, or is added.
        case upsert
        /// Members of the item change (RFC 7396).
        case patch
        /// The item is removed.
        case delete
        /// The payload is the value.
        case replace
        /// The value is loaded again once the send is sent. Nothing is shown before.
        case refresh
    }

    /// The name of the pipeline.
    public let pipeline: String
    /// What it does.
    public let operation: Operation
    /// The arguments of the key; a parameter of the pipeline that is missing here has the value of the send's parameter of that name.
    public var arguments: [String: SendText] = [:]
    /// The place of the item in the payload.
    public var item = JSONPointer.whole
    /// The id of the item; nil if it stands in the item.
    public var target: SendText?
    /// How the list is merged; nil for ``Operation/replace`` and ``Operation/refresh``. A pipeline is merged in one way: as its feeds merge it.
    public var merging: MergePolicy?

    /// A change of the values of `pipeline`.
    public init(of pipeline: String, _ operation: Operation, merging: MergePolicy? = nil) {
        (self.pipeline, self.operation, self.merging) = (pipeline, operation, merging)
    }
}

/// A text with parameters in it, as `account {user}`.
public struct SendText: Sendable, Hashable {
    package enum Part: Sendable, Hashable {
        case text(String)
        case parameter(String)
    }

    package let parts: [Part]

    package init(_ parts: [Part]) { self.parts = parts }

    /// The value of the parameter called `name`.
    public static func parameter(_ name: String) -> SendText { SendText([.parameter(name)]) }

    /// The names of the parameters in it.
    package var parameters: [String] { parts.compactMap { if case .parameter(let name) = $0 { name } else { nil } } }

    /// The text with the values in the places of the parameters; a value is never read as a template.
    package func filled(with values: [String: String]) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .parameter(let name): values[name] ?? ""
            }
        }.joined()
    }
}

extension SendText: ExpressibleByStringLiteral {
    /// The text, without parameters.
    public init(stringLiteral text: String) { self.init([.text(text)]) }
}

/// The places in the body of an answer that says what was made of a send.
public struct AnswerPlaces: Sendable, Hashable {
    /// The item; nil if the body has none.
    public var item: JSONPointer?
    /// The id; nil if it stands in the item, or is the end of `Location`.
    public var id: JSONPointer?

    /// These places.
    public init(item: JSONPointer? = nil, id: JSONPointer? = nil) { (self.item, self.id) = (item, id) }
}

/// The pauses between the tries of a send, and how many tries may fail.
public struct SendRetry: Sendable, Hashable {
    /// The first pause, at most.
    public var base: Duration
    /// The longest pause.
    public var max: Duration
    /// The number of tries at fault after which a send fails.
    public var attempts: Int

    /// Pauses from `base` to `max`, for so many tries.
    public init(base: Duration = .seconds(1), max: Duration = .seconds(60), attempts: Int = 10) {
        (self.base, self.max, self.attempts) = (base, max, attempts)
    }
}

/// The field in which the id of a send goes out (draft-ietf-httpapi-idempotency-key-header).
public struct IDHeader: Sendable, Hashable {
    /// The name of the field.
    public var name: String
    /// Indicates whether the id stands in quotes, as the draft has it.
    public var isQuoted: Bool

    /// A field of this name.
    public init(_ name: String = "Idempotency-Key", quoted isQuoted: Bool = false) { (self.name, self.isQuoted) = (name, isQuoted) }
}

/// The condition of a send: the origin makes the change only if the value is still what was seen.
///
/// New cases may come: switch with a `default`.
public enum SendCondition: Sendable, Hashable {
    /// No condition.
    case none
    /// The `ETag` of the value.
    case etag
    /// The tag that stands at this place in the item.
    case pointer(JSONPointer)
}

/// What follows when the origin finds a conflict: the keys are loaded again in each case.
///
/// New cases may come: switch with a `default`.
public enum ConflictRule: String, Sendable, CaseIterable {
    /// The send fails.
    case fail
    /// The send is tried again with the tag of what was loaded; the third conflict in a row fails.
    case refetch
    /// The send is tried again without its condition.
    case keep
    /// The send is given up.
    case drop
}

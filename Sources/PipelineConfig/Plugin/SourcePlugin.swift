public import Pipeline
public import PipelineLive
public import PipelineSending

/// The code behind a `type:`: its fields, what it can do, and how to make a source from the decoded fields.
public struct SourcePlugin: Sendable {
    /// The word after `type:`.
    public let name: String
    /// One line on what it is.
    public let summary: String
    /// The capabilities of its sources.
    public let capabilities: Set<Capability>
    /// Names of fields of which exactly one is given, as `value` or `text`; empty for none.
    public let alternatives: [String]
    /// The library in C that its sources are made with.
    package internal(set) var library: LinkedLibrary?
    private let fields: FieldGroup<Decoded>

    typealias Making = @Sendable (SourceContext) throws -> MadeSource

    /// What the fields make, and what they say against each other.
    struct Decoded: Sendable {
        let making: Making
        fileprivate let conflicts: [FieldConflict]
        /// How the source takes sends; nil if sources of the plugin take none.
        let sending: SendTarget?

        fileprivate init(making: @escaping Making, conflicts: [FieldConflict] = [], sending: SendTarget? = nil) {
            self.making = making
            self.conflicts = conflicts
            self.sending = sending
        }
    }

    /// A plugin of caches. Its closure gets the context and one argument for each field, in order.
    ///
    /// A source opens what it needs when it is first used; `make` does no I/O. It throws only for a fault of the machine: fields report
    /// problems of the file while they are decoded.
    ///
    /// - Parameters:
    ///   - capabilities: what the sources can do beyond what their type says; that they can be written follows from `make`.
    ///   - alternatives: names of fields, all of them with a default, of which exactly one must be given.
    ///   - readOnly: makes the source where the field with the role ``FieldRole/readOnly`` is true. It is an origin then. A plugin with such a
    ///     field needs this closure; without one, the field has no effect.
    public init<each Value: FieldValue>(
        cache name: String, summary: String, capabilities: Set<Capability> = [], alternatives: [String] = [],
        fields: repeat Field<each Value>,
        make: @escaping @Sendable (SourceContext, repeat each Value) throws -> any WritableSource,
        readOnly: (@Sendable (SourceContext, repeat each Value) throws -> any Source)? = nil
    ) {
        self.init(
            name, summary: summary, capabilities: capabilities.union([.writes]), alternatives: alternatives,
            fields: FieldGroup(repeat each fields) { (values: repeat each Value) -> Decoded in
                if let readOnly {
                    for (field, value) in repeat (each fields, each values) {
                        if field.isReadOnly(value) {
                            return Decoded(making: { context in MadeSource(try readOnly(context, repeat each values)) })
                        }
                    }
                }
                return Decoded(making: { context in
                    MadeSource(cache: try Self.placed(context, repeat each fields, values: repeat each values, by: make))
                })
            })
    }

    /// What `make` gives for the place of `context`, where that names one.
    private static func placed<Made, each Value: FieldValue>(
        _ context: SourceContext, _ fields: repeat Field<each Value>, values: repeat each Value,
        by make: (SourceContext, repeat each Value) throws -> Made
    ) throws -> Made {
        guard let place = context.place else { return try make(context, repeat each values) }
        var isPlaced = false
        var isMoved = false
        for (field, value) in repeat (each fields, each values) {
            isPlaced = isPlaced || field.declaration.role?.isPlace == true
            isMoved = isMoved || field.moved(value, to: place) != nil
        }
        guard isMoved || !isPlaced else { throw UnmovableCache(source: context.name) }
        return try make(context, repeat (each fields).moved(each values, to: place) ?? (each values))
    }

    /// A plugin of origins: sources that only read. Its closure gets the context and one argument for each field, in order.
    ///
    /// A source opens what it needs when it is first used; `make` does no I/O. It throws only for a fault of the machine: fields report
    /// problems of the file while they are decoded.
    ///
    /// - Parameters:
    ///   - capabilities: what the sources can do beyond reading.
    ///   - alternatives: names of fields, all of them with a default, of which exactly one must be given.
    ///   - conflicts: what values that are good by themselves say against each other.
    ///   - sending: how a source with these values takes sends, for sources that are `SendingSource`s.
    public init<each Value: FieldValue>(
        origin name: String, summary: String, capabilities: Set<Capability> = [], alternatives: [String] = [],
        fields: repeat Field<each Value>,
        make: @escaping @Sendable (SourceContext, repeat each Value) throws -> any Source,
        conflicts: (@Sendable (repeat each Value) -> [FieldConflict])? = nil,
        sending: (@Sendable (repeat each Value) -> SendTarget)? = nil
    ) {
        self.init(
            name, summary: summary, capabilities: capabilities.subtracting([.writes]), alternatives: alternatives,
            fields: FieldGroup(repeat each fields) { (values: repeat each Value) -> Decoded in
                Decoded(
                    making: { context in MadeSource(try make(context, repeat each values)) },
                    conflicts: conflicts?(repeat each values) ?? [], sending: sending?(repeat each values))
            })
    }

    /// A plugin of change sources. Its closure gets the context and one argument for each field, in order.
    ///
    /// A source connects when a feed begins; `make` does no I/O. It throws only for a fault of the machine: fields report problems of the
    /// file while they are decoded.
    ///
    /// - Parameters:
    ///   - capabilities: what the sources can do beyond telling of changes.
    ///   - alternatives: names of fields, all of them with a default, of which exactly one must be given.
    public init<each Value: FieldValue>(
        live name: String, summary: String, capabilities: Set<Capability> = [], alternatives: [String] = [],
        fields: repeat Field<each Value>,
        make: @escaping @Sendable (SourceContext, repeat each Value) throws -> any LiveSource
    ) {
        self.init(
            name, summary: summary, capabilities: capabilities.subtracting([.writes]).union([.emitsChanges]), alternatives: alternatives,
            fields: FieldGroup(repeat each fields) { (values: repeat each Value) -> Decoded in
                Decoded(making: { context in MadeSource(live: try make(context, repeat each values)) })
            })
    }

    /// A plugin of outboxes. Its closure gets the context and one argument for each field, in order.
    ///
    /// An outbox opens its database when it is first used; `make` does no I/O.
    package init<each Value: FieldValue>(
        outbox name: String, summary: String, fields: repeat Field<each Value>,
        make: @escaping @Sendable (SourceContext, repeat each Value) throws -> any OutboxSource
    ) {
        self.init(
            name, summary: summary, capabilities: [.keepsSends], alternatives: [],
            fields: FieldGroup(repeat each fields) { (values: repeat each Value) -> Decoded in
                Decoded(making: { context in
                    MadeSource(try Self.placed(context, repeat each fields, values: repeat each values, by: make))
                })
            })
    }

    private init(
        _ name: String, summary: String, capabilities: Set<Capability>, alternatives: [String], fields: FieldGroup<Decoded>
    ) {
        self.name = name
        self.summary = summary
        self.capabilities = capabilities
        self.alternatives = alternatives
        self.fields = fields
    }

    /// The declared fields, in the order of documentation.
    public var declarations: [FieldDeclaration] { fields.declarations }

    /// Reads a source of this plugin from the members of its mapping; nil when it is not sound, and then that has been reported.
    func decode(_ members: [ConfigNode.Member], of owner: FieldOwner, with decoder: FieldDecoder) -> Decoded? {
        let mark = decoder.problems.mark
        let decoded = fields.decode(members, of: owner, reserved: ["type"], with: decoder)
        // Of a field that could not be read the default stands in, which says nothing.
        if let decoded, decoder.problems.isSoundInForm(since: mark) {
            for conflict in decoded.conflicts { report(conflict, in: members, of: owner, to: decoder) }
        }
        return hasOneAlternative(members, of: owner, with: decoder) ? decoded : nil
    }

    private func report(_ conflict: FieldConflict, in members: [ConfigNode.Member], of owner: FieldOwner, to decoder: FieldDecoder) {
        guard let member = members.last(where: { $0.key == conflict.field }) else { return }
        decoder.report(
            conflict.code, "`\(conflict.field)` of \(owner.description) \(conflict.reason)", at: decoder.places.place(ofKeyOf: member),
            help: conflict.help)
    }

    private func hasOneAlternative(_ members: [ConfigNode.Member], of owner: FieldOwner, with decoder: FieldDecoder) -> Bool {
        guard let preferred = alternatives.first else { return true }
        let given = members.filter { alternatives.contains($0.key) }
        guard let first = given.first else {
            let names = alternatives.map { "`\($0)`" }.joined(separator: " or ")
            let example = declarations.first { $0.name == preferred }?.example
            // What is meant by an unknown field with a name like one of these has been reported.
            guard Set(fields.misspelt(in: members, reserved: ["type"])).isDisjoint(with: alternatives) else { return false }
            decoder.report(
                .missingField, "\(owner.description) needs \(names)", range: owner.range,
                help: example.map { "add `\(preferred): \($0)`" })
            return false
        }
        for other in given.dropFirst() {
            decoder.report(
                .notAllowed, "`\(other.key)` is not allowed beside `\(first.key)`", at: decoder.places.place(ofKeyOf: other),
                help: "remove one of the two")
        }
        return given.count == 1
    }
}

/// A source as its plugin made it, and what else it is. A cast would search all conformances of the program at its start.
struct MadeSource: Sendable {
    /// The source.
    let source: any Source
    /// The source as a cache; nil if it is not written to.
    let cache: (any WritableSource)?
    /// The source as a change source; nil if it holds or gives values.
    let live: (any LiveSource)?

    /// An origin, or an outbox.
    init(_ source: any Source) {
        (self.source, cache, live) = (source, nil, nil)
    }

    /// A cache.
    init(cache: any WritableSource) {
        (source, self.cache, live) = (cache, cache, nil)
    }

    /// A change source.
    init(live: any LiveSource) {
        (source, cache, self.live) = (live, nil, live)
    }
}

/// The conflicts between the fields of one source.
public struct FieldConflict: Sendable {
    let code: DiagnosticCode
    let field: String
    let reason: String
    let help: String?

    /// A conflict of `field` with another one, reported where `field` is written.
    ///
    /// - Parameters:
    ///   - reason: how the sentence goes on that begins with the field and its source.
    ///   - help: the concrete edit.
    public init(_ code: DiagnosticCode, of field: String, _ reason: String, help: String? = nil) {
        self.code = code
        self.field = field
        self.reason = reason
        self.help = help
    }
}

/// The way in which a source takes sends, as its fields say it.
public struct SendTarget: Sendable, Hashable {
    /// The method of its requests (RFC 9110, section 9).
    public let method: String
    /// Whether a write may be repeated whose first try may have been processed: the `repetition` of the source.
    public let repetition: SendRepetition

    /// The way of a source whose requests have this method.
    public init(method: String, repetition: SendRepetition) {
        (self.method, self.repetition) = (method, repetition)
    }

    /// The methods by which a value is written.
    static let methods = ["POST", "PUT", "PATCH", "DELETE"]

    /// Indicates whether its requests write: others only ask.
    public var isWrite: Bool { Self.methods.contains(method) }

    /// Indicates whether asking twice may write twice, as the method alone has it.
    var mayWriteTwice: Bool { method == "POST" || method == "PATCH" }

    /// The field in which ids go out unless a send says otherwise; nil if they do not.
    var idHeader: IDHeader? { mayWriteTwice ? IDHeader() : nil }
}

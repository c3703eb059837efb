internal import Pipeline

/// The declaration of one field. Decoding, checks, documentation and the starter file all read this.
public struct FieldDeclaration: Sendable, Hashable {
    /// The key in the file.
    public let name: String
    /// The type of what can be written.
    public let type: FieldType
    /// One sentence on what it means.
    public let documentation: String
    /// Indicates whether it must be given.
    public let isRequired: Bool
    /// The value it has when it is not given, as it would be written; nil when there is none.
    public let defaultText: String?
    /// The bounds; nil when every value of the type is allowed.
    public let bounds: FieldBounds?
    /// A value as one would write it in the starter file.
    public let example: String?
    /// The field that replaces this one; nil unless it is deprecated.
    public internal(set) var replacement: String?
    /// A further condition, as far as a schema can state it.
    public internal(set) var rule: FieldRule?
    /// The field without which this one means nothing; nil for none.
    public internal(set) var need: FieldNeed?
    /// The field that may be given instead of this one, of which one must be given; nil for none.
    public internal(set) var alternative: String?
    /// The meaning of the field beyond its source; nil for nothing.
    public internal(set) var role: FieldRole?

    init(
        name: String, type: FieldType, documentation: String, isRequired: Bool = false, defaultText: String? = nil,
        bounds: FieldBounds? = nil, example: String? = nil, replacement: String? = nil
    ) {
        self.name = name
        self.type = type
        self.documentation = documentation
        self.isRequired = isRequired
        self.defaultText = defaultText
        self.bounds = bounds
        self.example = example
        self.replacement = replacement
    }

    /// The bounds in words, as `0 or more`.
    public var rangeText: String? { bounds?.words }
}

/// A field that must be given where another one is.
public struct FieldNeed: Sendable, Hashable {
    /// The field that must be given.
    public let field: String
    /// The consequence without it, as a part of a sentence: `without it nothing is merged`.
    public let reason: String
}

/// A condition on a field as a schema can state it. The regular expressions are those of ECMA-262 without flags.
///
/// New cases may come: switch with a `default`.
public enum FieldRule: Sendable, Hashable {
    /// A text without variables matches this.
    case text(matching: String)
    /// Each name of a map matches this.
    case keys(matching: String)
}

/// The meaning of a field for all of a configuration, beyond its meaning for its source.
///
/// New cases may come: switch with a `default`.
public enum FieldRole: Sendable, Hashable {
    /// The field says, with the others of this role, where a cache keeps its copies: two caches with the same values would write one place.
    case place
    /// The field says where a cache keeps its copies, and each key has the place that this template gives it: two keys must not come to
    /// one.
    case placeOfEachKey
    /// The field is a text in front of the key of each copy: with another text, the copies of one cache are kept apart from those of
    /// another.
    case keyPrefix
    /// The field bounds how much a cache keeps, if it has a value.
    case bound
    /// The field limits the time of one read.
    case timeLimit
    /// The field says where the source loads from, and is neither a URL nor a path template.
    case address
    /// A bool that, when true, makes a cache an origin: its sources are only read.
    case readOnly
    /// A bool that, when true, says that a new connection of a change source goes on where the last one ended.
    case resumes
    /// A choice that says whether entries carry their own limits of freshness; `none` says that they do not.
    case limitsFreshness
    /// The field says how long an entry is fresh if the origin does not.
    case defaultFreshness
    /// A duration: the shortest time that an entry is fresh.
    case leastFreshness
    /// A duration: the longest time that an entry is fresh.
    case mostFreshness
    /// A URL whose scheme, host and port say which origin is asked. Sources that ask the same origin share the limits of ``originLimits``.
    case originAddress
    /// The field limits how often an origin is asked.
    case originLimits
    /// A ratio: how many retries each answered request of an origin allows.
    case retryBudget
    /// The field says when a second request is sent because the first takes long. The ``FieldValue/duration`` of its value is the time that
    /// the first has alone.
    case secondRequest
    /// The field says how several values are read with one call, if it has a value.
    case batch
    /// The field names a program, which runs once for each value that is read.
    case program
    /// A bool that, when true, says that a load that broke off goes on where it stopped.
    case resumesLoads
}

extension FieldRole {
    /// Whether the field says where a cache keeps its copies.
    var isPlace: Bool { [.place, .placeOfEachKey, .keyPrefix].contains(self) }
}

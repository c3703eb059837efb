/// What a field means for the whole of a configuration, beyond what it means to its source.
///
/// New cases may come: switch with a `default`.
public enum FieldRole: Sendable, Hashable {
    /// It says, with the others of this role, where a cache keeps its copies: two caches with the same values would write one place.
    case place
    /// The same, and each key has the place that this template gives it: two keys must not come to one.
    case placeOfEachKey
    /// The same, a text in front of the key of each copy: with another text, the copies of one cache are kept apart from those of another.
    case keyPrefix
    /// It bounds how much a cache keeps, when it has a value.
    case bound
    /// It limits the time of one read.
    case timeLimit
    /// It says where the source loads from, and is neither a URL nor a path template.
    case address
    /// A bool that, when true, makes a cache an origin: its sources are only read.
    case readOnly
    /// A bool that, when true, says that a new connection of a change source goes on where the last one ended.
    case resumes
    /// A choice that says whether entries carry their own limits of freshness; `none` says that they do not.
    case limitsFreshness
    /// It says how long an entry is fresh where the origin does not.
    case defaultFreshness
    /// A duration: the shortest time that an entry is fresh.
    case leastFreshness
    /// A duration: the longest time that an entry is fresh.
    case mostFreshness
    /// A URL whose scheme, host and port say which origin is asked. Sources that ask the same origin share the limits of ``originLimits``.
    case originAddress
    /// It limits how often an origin is asked.
    case originLimits
    /// A ratio: how many retries each answered request of an origin allows.
    case retryBudget
    /// It says when a second request is sent because the first takes long. Its ``FieldValue/duration`` is what the first has alone.
    case secondRequest
    /// It says how several values are read with one call, when it has a value.
    case batch
    /// It names a program, which runs once for each value that is read.
    case program
    /// A bool that, when true, says that a load that broke off goes on where it stopped.
    case resumesLoads
}

extension FieldRole {
    /// Whether the field says where a cache keeps its copies.
    var isPlace: Bool { [.place, .placeOfEachKey, .keyPrefix].contains(self) }
}

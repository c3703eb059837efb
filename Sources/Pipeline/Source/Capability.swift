/// Something that the sources of a plugin can do beyond what their type says. A policy that needs more is a diagnostic.
///
/// The raw value is its name in the documentation.
///
/// New cases may come: switch with a `default`.
public enum Capability: String, Sendable, CaseIterable {
    /// The type is a cache: its sources are ``WritableSource``s. `SourcePlugin.init(cache:…)` of PipelineConfig adds it.
    case writes
    /// The cache can tell which keys it holds.
    case listsKeys = "lists keys"
    /// The times, etag and content type that an entry says about its payload are read back as they were written.
    case keepsMetadata = "keeps metadata"
    /// The cache can remember that there is no value.
    case keepsNotFound = "remembers not_found"
    /// The source always answers: no miss, no error.
    case alwaysAnswers = "always answers"
    /// The source never misses: it gives a value, says `not_found`, or fails.
    case neverMisses = "never misses"
    /// The source's entries may carry their own limit of freshness, so that copies expire where no tier has a ttl.
    case limitsFreshness = "limits freshness"
    /// The source answers without waiting: its sources have the style ``ReadStyle/immediate``.
    case answersAtOnce = "answers at once"
    /// It reports changes and holds no values: its sources are `LiveSource`s. `SourcePlugin.init(live:…)` of PipelineConfig adds it.
    case emitsChanges = "emits changes"
    /// The source's messages have no content: each means that the value must be loaded again. Nothing can be merged from it.
    case signalsOnly = "signals only"
    /// The source asks other pipelines, with the policy of the fetch: under policies that ask no origins, too.
    case asksOthers = "asks others"
    /// The source's values need no check of their format.
    case givesChecked = "gives checked values"
    /// Its messages are events that may have a name: the `event` of a `LiveMessage`.
    case namesEvents = "names events"
    /// It keeps sends until they are done, and holds no values: its sources are outboxes.
    case keepsSends = "keeps sends"
}

extension Set<Capability> {
    /// The names, in the order of the documentation.
    package var names: [String] {
        (isDisjoint(with: [.emitsChanges, .keepsSends]) ? ["reads"] : []) + Capability.allCases.filter(contains).map(\.rawValue)
    }
}

/// The way in which a source answers a read. The style decides how a fetch waits, and changes no outcome.
///
/// New cases may come: switch with a `default`.
public enum ReadStyle: Sendable {
    /// At once, as memory does: ``Source/peek(_:)`` must not block. No time limit applies, and a hit takes no task.
    case immediate
    /// On the calling thread, in less time than a change of threads would take, as a file that the system has at hand.
    ///
    /// A fetch without a time limit calls ``Source/peek(_:)`` on its thread. Nothing ends such a read, so a fetch with a time limit calls
    /// ``Source/read(_:_:)`` instead.
    case onThread
    /// By suspending, and never for longer than the deadline of the ``ReadContext``.
    ///
    /// The read throws at once when its deadline passes or its task is cancelled, wherever it waits, and never blocks its thread. It
    /// therefore needs no task of its own.
    case punctual
    /// By suspending. At the deadline the read is cancelled and left behind.
    case suspending
}

extension ReadStyle {
    /// Whether ``Source/peek(_:)`` answers.
    var peeks: Bool { self == .immediate || self == .onThread }
}

/// Something that the sources of a plugin can do beyond what their type says. A policy that needs more is a diagnostic.
///
/// The raw value is its name in the documentation.
///
/// New cases may come: switch with a `default`.
public enum Capability: String, Sendable, CaseIterable {
    /// It is a cache: its sources are ``WritableSource``s. `SourcePlugin.init(cache:…)` of PipelineConfig adds it.
    case writes
    /// It can tell which keys it holds.
    case listsKeys = "lists keys"
    /// What an entry says about its payload (times, etag, content type) is read back as it was written.
    case keepsMetadata = "keeps metadata"
    /// It can remember that there is no value.
    case keepsNotFound = "remembers not_found"
    /// It always answers: no miss, no error.
    case alwaysAnswers = "always answers"
    /// It never misses: it gives a value, says `not_found`, or fails.
    case neverMisses = "never misses"
    /// Its entries may carry their own limit of freshness, so that copies expire where no tier has a ttl.
    case limitsFreshness = "limits freshness"
    /// It answers without waiting: its sources have the style ``ReadStyle/immediate``.
    case answersAtOnce = "answers at once"
    /// It reports changes and holds no values: its sources are ``LiveSource``s. `SourcePlugin.init(live:…)` of PipelineConfig adds it.
    case emitsChanges = "emits changes"
    /// Its messages have no content: each means that the value must be loaded again. Nothing can be merged from it.
    case signalsOnly = "signals only"
    /// It asks other pipelines, with the policy of the fetch: under policies that ask no origins, too.
    case asksOthers = "asks others"
    /// Its values need no check of their format.
    case givesChecked = "gives checked values"
    /// Its messages are events that may have a name: the `event` of a ``LiveMessage``.
    case namesEvents = "names events"
}

extension Set<Capability> {
    /// The names, in the order of the documentation.
    package var names: [String] {
        (contains(.emitsChanges) ? [] : ["reads"]) + Capability.allCases.filter(contains).map(\.rawValue)
    }
}

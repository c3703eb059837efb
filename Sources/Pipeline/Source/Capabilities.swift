/// What the sources of a plugin can do beyond what their type says. A policy that needs more is a diagnostic.
public struct Capabilities: OptionSet, Sendable, Hashable {
    /// One bit for each capability.
    public let rawValue: UInt16

    /// The capabilities of these bits.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// It is a cache: its sources are ``WritableSource``s. `SourcePlugin.init(cache:…)` of PipelineConfig
    /// adds it.
    package static let writes = Capabilities(rawValue: 1)
    /// It can tell which keys it holds.
    public static let listsKeys = Capabilities(rawValue: 2)
    /// What an entry says about its payload (times, etag, content type) is read back as it was written.
    public static let keepsMetadata = Capabilities(rawValue: 4)
    /// It can remember that there is no value.
    public static let keepsNotFound = Capabilities(rawValue: 16)
    /// It always answers: no miss, no error.
    public static let alwaysAnswers = Capabilities(rawValue: 32)
    /// It never misses: it gives a value, says `not_found`, or fails.
    public static let neverMisses = Capabilities(rawValue: 64)
    /// Its entries may carry their own limit of freshness, so that copies expire where no tier has a ttl.
    public static let limitsFreshness = Capabilities(rawValue: 128)

    /// It tells of changes and holds no values: its sources are ``LiveSource``s. `SourcePlugin.init(live:…)` of PipelineConfig adds it.
    package static let emitsChanges = Capabilities(rawValue: 512)
    /// Its messages have no content: each means that the value must be loaded again. Nothing can be merged from it.
    public static let signalsOnly = Capabilities(rawValue: 1024)
    /// Its messages are events that may have a name: the `event` of a ``LiveMessage``.
    public static let namesEvents = Capabilities(rawValue: 2048)

    /// It answers without waiting: its sources have the style ``ReadStyle/immediate``.
    public static let answersAtOnce = Capabilities(rawValue: 256)

    /// The names, in the words of the documentation.
    package var names: [String] {
        let known: [(Capabilities, String)] = [
            (.writes, "writes"), (.listsKeys, "lists keys"), (.keepsMetadata, "keeps metadata"),
            (.keepsNotFound, "remembers not_found"), (.alwaysAnswers, "always answers"),
            (.neverMisses, "never misses"), (.limitsFreshness, "limits freshness"), (.answersAtOnce, "answers at once"),
            (.emitsChanges, "emits changes"), (.signalsOnly, "signals only"), (.namesEvents, "names events"),
        ]
        return (contains(.emitsChanges) ? [] : ["reads"]) + known.filter { contains($0.0) }.map(\.1)
    }
}

/// What a message of a feed says.
package struct FeedMessage: Sendable {
    /// What follows from it.
    package enum Meaning: Sendable {
        case change(Change)
        /// The value must be loaded again.
        case refresh
        /// The message that the feed declares as `resync`: the list must be loaded again.
        case resync
        /// It cannot be read, for this reason.
        case invalid(String)
        /// It tells of a change that is too large to keep, for this reason: the list must be loaded again.
        case faulty(String)
    }

    package let meaning: Meaning
    /// Its number, where the feed declares `sequence` and the message has an integer there.
    package internal(set) var sequence: Int64?
    /// For each parameter of `for` the text in the message; nil where the message has none.
    package internal(set) var addressing: [String: String?] = [:]

    init(_ meaning: Meaning) { self.meaning = meaning }

    /// Whether it is for `key`: the texts that it names are the key's.
    package func concerns(_ key: Key) -> Bool {
        addressing.allSatisfy { parameter, text in
            guard let text, let value = key[parameter] else { return false }
            return text.hasSameBytes(as: value)
        }
    }
}

import Pipeline

/// An invalidation message as it travels over the channel: `1 SENDER key friends,user=42`, or `1 SENDER pipeline friends`.
struct Message: Equatable {
    /// Identifies the process that sent it.
    let sender: String
    let invalidation: InvalidationMessage

    init(_ invalidation: InvalidationMessage, from sender: String) {
        self.invalidation = invalidation
        self.sender = sender
    }

    /// Nil for a text that is none, or of a version that is not known.
    init?(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "1", let key = Key(text: String(parts[3])) else { return nil }
        sender = String(parts[1])
        switch parts[2] {
        case "key": invalidation = .key(key)
        case "pipeline" where key.parameters.isEmpty: invalidation = .pipeline(key.pipeline)
        default: return nil
        }
    }

    var text: String {
        switch invalidation {
        case .key(let key): "1 \(sender) key \(key.text)"
        case .pipeline(let name): "1 \(sender) pipeline \(Key(pipeline: name).text)"
        }
    }
}

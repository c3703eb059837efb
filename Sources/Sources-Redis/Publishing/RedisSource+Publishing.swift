public import Pipeline

extension RedisSource {
    /// Indicates whether it publishes, as the field `invalidation` says.
    public var publishes: Bool { settings.publishes }

    /// Publishes the message to the subscribers with the same prefix in the same database.
    public func publish(_ invalidation: InvalidationMessage) async throws {
        let key: Key
        switch invalidation {
        case .key(let changed): key = changed
        case .pipeline(let name): key = Key(pipeline: name)
        }
        let message = Message(invalidation, from: sender)
        _ = try await reply(to: Command("PUBLISH", .text(names.channel), .text(message.text)), for: key, needing: names.publishing)
    }

    /// Subscribes on a connection of its own. Returns when the task is cancelled or the source closed.
    public func subscribe(_ receive: @escaping @Sendable (SubscriptionEvent) async -> Void) async {
        await subscribers.run { [connector, names, sender] in
            await Subscriber(connector: connector, names: names, sender: sender).run(receive)
        }
    }
}

/// An invalidation message as it travels over the channel: `1 SENDER key friends,user=42`, or `1 SENDER pipeline friends`.
struct Message: Equatable {
    /// Identifies the process that sent it.
    let sender: String
    let invalidation: InvalidationMessage

    init(_ invalidation: InvalidationMessage, from sender: String) {
        self.invalidation = invalidation
        self.sender = sender
    }

    /// Reads a message; nil for a text that is none, or of a version that is not known.
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

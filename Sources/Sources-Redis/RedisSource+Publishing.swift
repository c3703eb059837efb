public import Pipeline

extension RedisSource {
    /// As the field `invalidation` says.
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

public import Pipeline

extension RedisSource {
    /// As the field `invalidation` says.
    public var announces: Bool { settings.announces }

    /// Publishes the announcement to whoever listens with the same prefix in the same database.
    public func announce(_ announcement: Announcement) async throws {
        let key: Key
        switch announcement {
        case .key(let changed): key = changed
        case .pipeline(let name): key = Key(pipeline: name)
        }
        let message = Message(announcement, from: sender)
        _ = try await reply(to: Command("PUBLISH", .text(names.channel), .text(message.text)), for: key, needing: names.publishing)
    }

    /// Subscribes on a connection of its own. Returns when the task is cancelled or the source closed.
    public func listen(_ hear: @escaping @Sendable (HeardEvent) async -> Void) async {
        await listeners.run { [connector, names, sender] in
            await Listener(connector: connector, names: names, sender: sender).run(hear)
        }
    }
}

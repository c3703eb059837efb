import Pipeline

/// Hears what others announce, on a connection of its own.
struct Listener: Sendable {
    /// So many events wait for one who hears slowly; with more the connection is given up, which tells that some were missed.
    private static let mostWaiting = 4_096

    let connector: Connector
    let channel: String
    /// Whose own announcements are left out.
    let sender: String

    /// Listens until the task is cancelled, on one connection after the other.
    func run(_ hear: @escaping @Sendable (HeardEvent) async -> Void) async {
        var backoff = Backoff()
        while !Task.isCancelled {
            if await listen(hear) { backoff.reset() }
            guard (try? await connector.clock.sleep(for: backoff.next())) != nil else { return }
        }
    }

    /// Listens until the connection ends; says whether the server confirmed the subscription.
    private func listen(_ hear: @escaping @Sendable (HeardEvent) async -> Void) async -> Bool {
        let (events, arrivals) = AsyncStream.makeStream(of: HeardEvent.self, bufferingPolicy: .bufferingOldest(Self.mostWaiting))
        let observer = CommandHandler.Observer(
            hears: { reply in
                guard let event = event(in: reply) else { return }
                if case .dropped = arrivals.yield(event) { arrivals.finish() }
            },
            ends: { _ in arrivals.finish() })
        guard let connection = try? await connector.connect(observer) else { return false }
        let isSubscribed = await withTaskGroup(of: Void.self) { group in
            group.addTask { await keepAlive(connection) }
            var hasBegun = false
            for await event in events {
                hasBegun = true
                await hear(event)
            }
            group.cancelAll()
            return hasBegun
        }
        await connection.close()
        return isSubscribed
    }

    /// Subscribes, and then asks again and again whether the connection still stands: nothing else tells that the other end is gone.
    private func keepAlive(_ connection: Connection) async {
        do {
            _ = try await connection.reply(to: Command("SUBSCRIBE", .text(channel)))
            while true {
                try await connector.clock.sleep(for: connector.settings.heartbeat)
                try await connection.ping()
            }
        } catch {
            await connection.close()
        }
    }

    private func event(in reply: Reply) -> HeardEvent? {
        guard case .array(let parts) = reply, let kind = parts.first?.text else { return nil }
        if kind == "subscribe" { return .began }
        guard kind == "message", parts.count == 3, let message = parts[2].text.flatMap({ Message($0) }), message.sender != sender else {
            return nil
        }
        return .announced(message.announcement)
    }
}

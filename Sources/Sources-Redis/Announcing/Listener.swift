import Pipeline
internal import PipelineServer

/// Hears what others announce, on a connection of its own.
struct Listener: Sendable {
    /// So many events wait for one who hears slowly; with more the connection is given up, which tells that some were missed.
    private static let mostWaiting = 4_096

    let connector: Connector
    let names: KeySpace
    /// Whose own announcements are left out.
    let sender: String

    /// What an attempt to listen came to.
    private enum Ending {
        /// It was heard until the connection was lost.
        case heard
        case refused(SourceError)
        /// There was no connection, or it was lost before the server confirmed the subscription.
        case lost
    }

    /// Listens until the task is cancelled, on one connection after the other.
    func run(_ hear: @escaping @Sendable (HeardEvent) async -> Void) async {
        var backoff = Backoff()
        var told: String?
        while !Task.isCancelled {
            switch await listen(hear) {
            case .heard:
                backoff.reset()
                told = nil
            case .refused(let error):
                let reason = [error.reason, error.help].compactMap { $0 }.joined(separator: ": ")
                // Once, however often it is tried again.
                if told != reason { await hear(.refused(reason)) }
                told = reason
            case .lost: break
            }
            guard (try? await connector.clock.sleep(for: backoff.next())) != nil else { return }
        }
    }

    /// Listens until the connection ends.
    private func listen(_ hear: @escaping @Sendable (HeardEvent) async -> Void) async -> Ending {
        let (events, arrivals) = AsyncStream.makeStream(of: HeardEvent.self, bufferingPolicy: .bufferingOldest(Self.mostWaiting))
        let observer = CommandHandler.Observer(
            hears: { reply in
                guard let event = event(in: reply) else { return }
                if case .dropped = arrivals.yield(event) { arrivals.finish() }
            },
            ends: { _ in arrivals.finish() })
        let connection: Connection
        do {
            connection = try await connector.connect(observer)
        } catch {
            // Whoever is refused the server as a whole cannot have a copy confirmed there, as when it is away.
            return .lost
        }
        do {
            _ = try await connection.reply(to: Command("SUBSCRIBE", .text(names.channel)), needing: names.subscribing)
        } catch {
            await connection.close()
            guard let error = error as? SourceError, error.kind == .refused else { return .lost }
            return .refused(error)
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await keepAlive(connection) }
            for await event in events { await hear(event) }
            group.cancelAll()
        }
        await connection.close()
        return .heard
    }

    /// Asks again and again whether the connection still stands: nothing else tells that the other end is gone.
    private func keepAlive(_ connection: Connection) async {
        do {
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

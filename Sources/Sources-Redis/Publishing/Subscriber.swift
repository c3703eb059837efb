internal import Pipeline
import PipelineLive
import Synchronization

/// Subscribes to the messages of other processes, on a connection of its own.
struct Subscriber: Sendable {
    /// The most events that wait for a slow receiver. With more the connection is given up, and a new beginning shows that some were missed.
    private static let mostWaiting = 4_096

    let connector: Connector
    let names: KeySpace
    /// The sender whose own messages are left out.
    let sender: String

    /// The end of a subscription.
    private enum Ending {
        /// The channel was subscribed for this long, until the connection was lost.
        case ended(after: Duration)
        case refused(SourceError)
        /// No connection came, or it was lost before the server confirmed the subscription.
        case lost
    }

    /// Subscribes until the task is cancelled, on one connection after the other.
    func run(_ receive: @escaping @Sendable (SubscriptionEvent) async -> Void) async {
        var backoff = Backoff(RedisSettings.reconnecting)
        var random = connector.random
        var reported: String?
        while !Task.isCancelled {
            var wellFor: Duration?
            switch await subscribe(receive) {
            case .ended(let duration):
                wellFor = duration
                reported = nil
            case .refused(let error):
                let reason = [error.reason, error.help].compactMap { $0 }.joined(separator: ": ")
                // Once, however often it is tried again.
                if reported != reason { await receive(.refused(reason)) }
                reported = reason
            case .lost: break
            }
            let pause = backoff.pause(afterBeingWellFor: wellFor, random: &random)
            guard (try? await connector.clock.sleep(for: pause)) != nil else { return }
        }
    }

    /// Subscribes until the connection ends.
    private func subscribe(_ receive: @escaping @Sendable (SubscriptionEvent) async -> Void) async -> Ending {
        let (events, arrivals) = AsyncStream.makeStream(of: SubscriptionEvent.self, bufferingPolicy: .bufferingOldest(Self.mostWaiting))
        let observer = CommandHandler.Observer(
            receives: { reply in
                guard let event = event(in: reply) else { return }
                if case .dropped = arrivals.yield(event) { arrivals.finish() }
            },
            ends: { _ in arrivals.finish() })
        let connection: Connection
        do {
            connection = try await connector.connect(observer)
        } catch {
            // Without access to the server no copy can be confirmed there, as when it is away.
            return .lost
        }
        do {
            _ = try await connection.reply(to: Command("SUBSCRIBE", .text(names.channel)), needing: names.subscribing)
        } catch {
            await connection.close()
            guard let error = error as? SourceError, error.kind == .refused else { return .lost }
            return .refused(error)
        }
        let start = connector.clock.monotonic()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await keepAlive(connection) }
            for await event in events { await receive(event) }
            group.cancelAll()
        }
        await connection.close()
        return .ended(after: connector.clock.monotonic() - start)
    }

    /// Pings again and again: nothing else shows that the other end is gone.
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

    private func event(in reply: Reply) -> SubscriptionEvent? {
        guard case .array(let parts) = reply, let kind = parts.first?.text else { return nil }
        if kind == "subscribe" { return .began }
        guard kind == "message", parts.count == 3, let message = parts[2].text.flatMap({ Message($0) }), message.sender != sender else {
            return nil
        }
        return .received(message.invalidation)
    }
}

/// The subscriptions of one source, so that closing it ends them.
final class Subscribers: Sendable {
    private struct State {
        var tasks: [Int: Task<Void, Never>] = [:]
        var count = 0
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Does `body` in a task that ends with the caller's, or with ``close()``.
    func run(_ body: @escaping @concurrent @Sendable () async -> Void) async {
        let started = state.withLock { state -> (Int, Task<Void, Never>)? in
            guard !state.isClosed else { return nil }
            state.count += 1
            let task = Task(operation: body)
            state.tasks[state.count] = task
            return (state.count, task)
        }
        guard let (number, task) = started else { return }
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        state.withLock { _ = $0.tasks.removeValue(forKey: number) }
    }

    func close() {
        let tasks = state.withLock { state in
            state.isClosed = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
    }
}

import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Pipeline
import PipelineConfig
import PipelineNetwork

/// One request, and a second one when the first takes longer than usual: the first good head wins (Dean and Barroso, "The tail at scale",
/// 2013).
struct HedgedSending: Sendable {
    /// The head that came, or why none did, and the permit of the request that it belongs to.
    struct Sent: Sendable {
        let result: Result<HTTPClientResponse, any Error>
        let permit: RequestPermit
    }

    private enum Event: Sendable {
        case due
        case sent(Sent)
    }

    let request: HTTPClientRequest
    let client: RepeatingClient
    let repetition: Repetition
    /// Indicates whether a part of a body is wanted.
    let isForRest: Bool
    let words: FailureWords
    let exchange: HTTPExchange

    /// The head of the answer, as soon as one is good or none can be any more. The other request has ended then.
    func head(with permit: RequestPermit) async -> Sent {
        guard let delay = permit.hedgeDelay else { return await first(permit) }
        return await withTaskGroup(of: Event.self) { group in
            group.addTask { .sent(await first(permit)) }
            group.addTask { [clock = exchange.clock] in
                try? await clock.sleep(for: delay)
                return .due
            }
            var second: RequestPermit?
            var failed: Sent?
            while let event = await group.next() {
                switch event {
                case .due:
                    guard !Task.isCancelled, let hedge = permit.hedge() else { continue }
                    guard let descriptor = try? DescriptorBudget.process.take(), mayAskFurther else {
                        hedge.end(.cancelled)
                        continue
                    }
                    second = hedge
                    group.addTask {
                        defer { descriptor.giveBack() }
                        return .sent(await fresh(hedge))
                    }
                case .sent(let sent):
                    guard let second else { return stopping(&group, sent) }
                    if isGood(sent) {
                        (sent.permit === permit ? second : permit).end(sent.permit === permit ? .cancelled : .overtaken)
                        return stopping(&group, sent)
                    }
                    // A second request that was given up with the first has lost nothing: the first ends first.
                    if Task.isCancelled { permit.end(exchange.outcome(of: CancellationError())) }
                    end(sent)
                    // Of two failures that of the first stands.
                    if let failed { return stopping(&group, sent.permit === permit ? sent : failed) }
                    failed = sent
                }
            }
            return Sent(result: .failure(CancellationError()), permit: permit)
        }
    }

    /// Indicates whether one more request may be sent, which counts as sent then.
    private var mayAskFurther: Bool {
        do {
            try exchange.context.further?()
            return true
        } catch {
            return false
        }
    }

    private func stopping(_ group: inout TaskGroup<Event>, _ sent: Sent) -> Sent {
        group.cancelAll()
        return sent
    }

    private func first(_ permit: RequestPermit) async -> Sent {
        let mayRepeat = repetition.isAllowed
        return Sent(
            result: await Result {
                guard let ticket = exchange.ticket else { return try await client.execute(request, mayRepeat: mayRepeat) }
                return try await client.execute(request, with: ticket, mayRepeat: mayRepeat)
            }, permit: permit)
    }

    /// Sends on a connection of its own: what holds up the first must not hold up the second.
    private func fresh(_ permit: RequestPermit) async -> Sent {
        Sent(result: await Result { try await client.fresh.execute(request, deadline: .distantFuture) }, permit: permit)
    }

    private func isGood(_ sent: Sent) -> Bool {
        guard case .success(let response) = sent.result else { return false }
        let status = Int(response.status.code)
        return exchange.settings.accepted.accepts(status) || status < 500 && ![408, 425, 429].contains(status)
    }

    /// Ends a request that failed while the other may still answer: the origin learns of it at once.
    private func end(_ failed: Sent) {
        switch failed.result {
        case .success(let response): exchange.note(response, isForRest: isForRest, failed.permit)
        case .failure(let error): failed.permit.end(exchange.outcome(of: error, as: words.error(for: error)))
        }
    }
}

public import Pipeline
import PipelineLive
import Synchronization

/// An outbox cannot be opened, or can be again.
///
/// It comes as ``PipelineEvent/change(_:source:pipeline:)``, with the outbox as the source and no pipeline, once for each reason. Meanwhile
/// sends are refused, and readers see values without those that the outbox has.
public struct OutboxEvent: ChangeSourceEvent {
    /// The reason why it cannot be opened, with secrets masked: a sentence part, lower case, without a full stop. Nil if it can be again.
    public let problem: String?

    package init(problem: String?) { self.problem = problem }
}

/// The figures of an outbox at one moment: what counts for its bounds, of its owner alone.
package struct OutboxFigures: Sendable, Equatable {
    /// The name of the outbox.
    package let outbox: String
    /// How many sends are in each state.
    package private(set) var counts: [SendState: Int] = [:]
    /// The bytes of their payloads.
    package private(set) var bytes = 0
    /// The age of the oldest one that waits or is being sent; zero if there is none.
    package private(set) var oldest = Duration.zero

    fileprivate init(_ outbox: String) { self.outbox = outbox }

    fileprivate mutating func add(_ state: SendState, bytes: Int) {
        counts[state, default: 0] += 1
        self.bytes += bytes
    }

    fileprivate mutating func add(_ row: SendRow, at now: Timestamp) {
        add(row.state, bytes: row.payload.count)
        if row.state.holdsLanes { oldest = max(oldest, now.duration(since: row.taken)) }
    }
}

extension Outbox {
    /// The figures of the outbox; nil unless it is open.
    var figures: OutboxFigures? {
        let now = clock.now
        return state.withLock { state in
            guard case .open = state.opening else { return nil }
            var figures = OutboxFigures(name)
            for row in state.machine.rows where !row.state.isDone { figures.add(row, at: now) }
            for bytes in state.failed.values { figures.add(.failed, bytes: bytes) }
            return figures
        }
    }

    /// Tells observers, once, that the outbox cannot be opened for this reason; or that it can be again, if it could not be before.
    func reportOpening(_ problem: String?) {
        let isNew = state.withLock { state in
            defer { state.problem = problem }
            return state.problem != problem
        }
        if isNew { commons.observer?(.change(OutboxEvent(problem: problem), source: name, pipeline: "")) }
    }

    /// An error of this outbox, with its name: there may be others.
    func naming(_ error: SendError) -> SendError {
        guard case .refused(let refusal) = error else { return error }
        return .refused(SendRefusal(refusal.cause, "`\(name)`: \(refusal.reason)"))
    }
}

extension Outbox.State {
    /// A row, with the pause of its target.
    func status(of row: SendRow) -> SendStatus {
        let rest = row.state == .waiting ? declared[row.name].flatMap { machine.restsUntil($0.spec.target.name) } : nil
        return SendStatus(row, restingUntil: rest)
    }

    /// Rows of the disk as they are now, with the pauses of their targets.
    ///
    /// - Parameter ended: the processes that have ended, and their pauses with them.
    func statuses(of rows: [SendRow], without ended: Set<String>, at now: Timestamp) -> [SendStatus] {
        if machine.isDelivering { return rows.map { status(of: present($0)) } }
        // The pauses are those of another process, which stand in the rows alone.
        let rows = rows.map { row in
            let known = present(row)
            guard known.state == row.state, known.tries == row.tries else { return known }
            var row = row
            if let holder = row.holder, ended.contains(holder) { row.next = nil }
            row.clamp(by: declared[row.name]?.rules, at: now)
            return row
        }
        var rests: [String: Timestamp] = [:]
        for row in rows where row.state == .waiting {
            guard let target = declared[row.name]?.spec.target.name, let next = SendStatus(row).next else { continue }
            rests[target] = max(rests[target] ?? next, next)
        }
        return rows.map { row in
            SendStatus(row, restingUntil: row.state == .waiting ? declared[row.name].flatMap { rests[$0.spec.target.name] } : nil)
        }
    }
}

internal import GRDB
package import Pipeline
internal import PipelineSending

/// The lease to deliver: a row by the wall clock, which the processes of one machine share.
///
/// It is not worth a wait for the disk: after a power cut its holder has ended.
extension OutboxFile {
    /// Takes or renews the lease. The system is asked before the transaction whether the holder has ended; a holder since then has not.
    package func lease(_ holder: String, until end: Timestamp) async throws -> Bool {
        let times = WallTimes(clock)
        let (now, end) = (times.time(of: times.now), times.time(of: end))
        guard let seen = try await database.read({ db, _ in try OutboxLease(in: db) }) else { return false }
        let ended = seen.holder.flatMap { OutboxHolder($0)?.hasEnded == true ? $0 : nil }
        guard seen.isVoid(for: holder, at: now, ended: ended) || seen.isTooLong(for: end) else { return false }
        let isTaken = try await database.write(making: false, isDurable: false) { db, _, _ in
            let found = try OutboxLease(in: db)
            let isVoid = found.isVoid(for: holder, at: now, ended: ended)
            if isVoid || found.isTooLong(for: end) { try OutboxLease(holder: isVoid ? holder : found.holder, end: end).store(in: db) }
            return isVoid
        }
        return isTaken ?? false
    }

    /// Gives the lease back. What cannot be given back runs out.
    package func release(_ holder: String) async {
        // Ends with the transaction: whoever stops is often cancelled.
        await Task { [database] in
            _ = try? await database.write(making: false, isDurable: false) { db, _, _ in
                if try OutboxLease(in: db).holder == holder { try OutboxLease(holder: nil, end: 0).store(in: db) }
            }
        }.value
    }

    /// Asks the system.
    package func hasEnded(_ holder: String) async -> Bool { OutboxHolder(holder)?.hasEnded == true }
}

/// The lease of an outbox as its database has it.
struct OutboxLease: Sendable, Equatable {
    /// The holder; nil if it is free.
    let holder: String?
    /// When it runs out, in nanoseconds since 1970.
    let end: Int64

    init(holder: String?, end: Int64) { (self.holder, self.end) = (holder, end) }

    /// Reads it; free if it is not as an outbox wrote it.
    init(in db: Database) throws {
        let row = try Row.fetchOne(db.cachedStatement(sql: "SELECT lease_holder, lease_end FROM outbox"))
        self.init(holder: row?.value("lease_holder"), end: row?.value("lease_end") ?? 0)
    }

    /// Indicates whether `other` may take it.
    ///
    /// - Parameter ended: the holder that has ended for certain; nil for none.
    func isVoid(for other: String, at now: Int64, ended: String?) -> Bool {
        guard let holder else { return true }
        return holder == other || end <= now || holder == ended
    }

    /// Indicates whether it runs out later than one that is taken now: a clock was ahead. Its holder, if there is one, renews it.
    func isTooLong(for end: Int64) -> Bool { self.end > end }

    func store(in db: Database) throws {
        try db.cachedStatement(sql: "UPDATE outbox SET lease_holder = ?, lease_end = ?").execute(arguments: [holder, end])
    }
}

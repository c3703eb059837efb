internal import GRDB
public import Pipeline

/// A cache in one SQLite database, which several processes may use at once.
///
/// A damaged database is set aside under another name, never deleted: the operation that found it fails, and the next one makes a
/// new database. A file that is a database of something else is left alone.
public final class SQLiteSource: SharedSource {
    /// The way in which processes share loads through the database; nil if they do not.
    public let sharedFlight: SharedFlight?
    let database: CacheDatabase
    let bound: CacheBound
    let uses: RecentUses
    let evicted: @Sendable (Key?) -> Void

    /// A cache in the database at `path`. Nothing is opened or made before the first use, and no file before the first write.
    ///
    /// - Parameters:
    ///   - isDurable: whether a write ends only when the disk has it.
    ///   - busyTimeout: how long an operation waits while another process holds the database.
    ///   - maxEntries: the most entries to keep, the least recently used go; 0 keeps none.
    ///   - maxBytes: the most bytes of payload to keep; a payload that is larger alone is not kept.
    ///   - sharedFlight: whether, and how, processes share the load of a key; nil has each load for itself.
    ///   - evicted: is told of each entry that goes to keep within these; without its key.
    public convenience init(
        path: DatabasePath, isDurable: Bool = false, busyTimeout: Duration = .seconds(5), maxEntries: Int? = nil,
        maxBytes: Size? = nil, sharedFlight: SharedFlight? = nil, clock: PipelineClock = .system,
        evicted: @escaping @Sendable (Key?) -> Void = { _ in }
    ) {
        self.init(
            path: path, isDurable: isDurable, busyTimeout: busyTimeout, maxEntries: maxEntries, maxBytes: maxBytes,
            sharedFlight: sharedFlight, clock: clock, evicted: evicted, sleep: BusyWait.sleep)
    }

    /// Makes the source with an action between two looks at a database that is held.
    init(
        path: DatabasePath, isDurable: Bool, busyTimeout: Duration, maxEntries: Int?, maxBytes: Size?,
        sharedFlight: SharedFlight? = nil, clock: PipelineClock, evicted: @escaping @Sendable (Key?) -> Void,
        sleep: @escaping BusyWait.Sleep
    ) {
        self.sharedFlight = sharedFlight
        database = CacheDatabase(path: path, isDurable: isDurable, busyTimeout: busyTimeout, clock: clock, sleep: sleep)
        bound = CacheBound(maxEntries: maxEntries, maxBytes: maxBytes)
        uses = RecentUses(clock: clock)
        self.evicted = evicted
    }

    /// The entry of `key`, or nil if there is none, or no database yet.
    public func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        // Nil twice: there may be no database, or no row in it.
        let found = try await database.read { db in try EntryRow.entry(of: key, in: db) } ?? nil
        if found != nil { await noteUse(of: key) }
        return found.map(database.clock.restored)
    }

    /// Notes that the value of `key` was used, where that decides which goes first.
    func noteUse(of key: Key) async {
        guard bound.isSet, let full = uses.note(key) else { return }
        // When a value was last used is a hint: a database that cannot be written to is no failure of a read.
        _ = try? await database.write(making: false) { db in try full.store(in: db) }
    }

    /// Stores the entry in one transaction, together with what goes to make room for it. Throws a `SourceError` of the kind `notKept` for
    /// one that is larger by itself.
    public func write(_ entry: Entry, for key: Key) async throws {
        // What will not be kept is not written. The entry before it goes all the same: it is not the value any more.
        guard bound.admits(entry.payload?.count ?? 0) else {
            try await remove(key)
            throw SourceError.notKept(within: bound.maxEntries, bound.maxBytes)
        }
        let row = EntryRow(database.clock.stored(entry), of: key, used: uses.nextStamp())
        let noted = uses.take()
        let count = try await database.write(making: true) { [bound] db in
            try noted.store(in: db)
            try row.store(in: db)
            return try bound.removeExcess(in: db, sparing: row.key)
        }
        for _ in 0..<(count ?? 0) { evicted(nil) }
    }

    /// Changes the times in the row of `key`, where it still has that payload; pages that hold the payload alone are not written.
    public func renew(_ held: Entry, as entry: Entry, for key: Key) async throws -> Bool {
        let row = EntryRow(database.clock.stored(entry), of: key, used: uses.nextStamp())
        let (held, noted) = (database.clock.stored(held), uses.take())
        let isRenewed = try await database.write(making: false) { db in
            try noted.store(in: db)
            return try row.renew(held, in: db)
        }
        return isRenewed ?? false
    }

    /// Deletes the row of `key`.
    public func remove(_ key: Key) async throws {
        _ = try await database.write(making: false) { db in
            try db.execute(sql: "DELETE FROM entries WHERE key = ?", arguments: [key.text])
        }
    }

    /// Deletes the rows of `pipeline`. The file keeps its size, and its free pages are used again.
    public func clear(pipeline: String) async throws {
        _ = try await database.write(making: false) { db in
            try db.execute(sql: "DELETE FROM entries WHERE pipeline = ?", arguments: [EntryRow.text(ofPipeline: pipeline)])
        }
    }

    /// Opens the database if there is one; where there is none, checks whether one could be made.
    public func connect() async throws {
        if try await database.read({ _ in true }) == nil { _ = try await check() }
    }

    /// Closes the database. Other processes go on.
    public func close() async {
        let noted = uses.take()
        await database.close { db in try noted.store(in: db) }
    }
}

extension SQLiteSource {
    /// Several entries with one query.
    public var batching: Batching? {
        Batching(of: nil, most: 256) { [self] keys, _ in
            let found = try await database.read { db in try EntryRow.entries(of: keys, in: db) } ?? [:]
            for key in keys { if case .success? = found[key.text] { await noteUse(of: key) } }
            return BatchAnswer(keys.map { key in found[key.text].map { $0.map(database.clock.restored) } ?? .success(nil) })
        }
    }

    /// 256: a transaction costs more than what is written in it.
    public var mostWrittenAtOnce: Int { 256 }

    /// Stores all entries in one transaction. What fails in it fails for each.
    public func write(_ entries: [(entry: Entry, key: Key)]) async -> [(any Error)?] {
        // What will not be kept is not written. The entry before it goes all the same: it is not the value any more.
        let changes = entries.map { entry, key in
            let isKept = bound.admits(entry.payload?.count ?? 0)
            return (row: isKept ? EntryRow(database.clock.stored(entry), of: key, used: uses.nextStamp()) : nil, key: key)
        }
        let noted = uses.take()
        do {
            let count = try await database.write(making: changes.contains { $0.row != nil }) { [bound] db in
                try noted.store(in: db)
                var count = 0
                for (row, key) in changes {
                    guard let row else {
                        try db.execute(sql: "DELETE FROM entries WHERE key = ?", arguments: [key.text])
                        continue
                    }
                    try row.store(in: db)
                    count += try bound.removeExcess(in: db, sparing: row.key)
                }
                return count
            }
            for _ in 0..<(count ?? 0) { evicted(nil) }
            return changes.map { $0.row == nil ? SourceError.notKept(within: bound.maxEntries, bound.maxBytes) : nil }
        } catch {
            return changes.map { _ in error }
        }
    }
}

extension SQLiteSource {
    /// Lists the rows of `pipeline`, without reading their payloads. No database holds nothing.
    public func contents(of pipeline: String, limit: Int) async throws -> CacheContents? {
        let (most, overflow) = limit.addingReportingOverflow(1)
        let copies = try await database.read { db in
            try EntryRow.copies(of: pipeline, limit: overflow ? limit : most, in: db)
        }
        let restored = (copies ?? []).map { CacheContents.Copy(key: $0.key, entry: database.clock.restored($0.entry), size: $0.size) }
        return CacheContents(restored, limit: limit)
    }
}

extension SQLiteSource {
    /// Checks whether the database could be used, or made where there is none. Reads one that is there, and writes nothing.
    public func check() async throws -> Reachability {
        try Task.checkCancellation()
        try await database.check()
        return .reachable
    }
}

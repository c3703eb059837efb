internal import Foundation
internal import GRDB
internal import Pipeline

/// An entry as a row of the table `entries`.
struct EntryRow: Sendable {
    let key: String
    private let pipeline: String
    private let entry: Entry
    private let used: Int64

    init(_ entry: Entry, of key: Key, used: Int64) {
        self.key = key.text
        pipeline = Self.text(ofPipeline: key.pipeline)
        self.entry = entry
        self.used = used
    }

    /// The text of a pipeline in its rows: as in the text of a key, so that it is ASCII whatever the name.
    static func text(ofPipeline name: String) -> String { Key(pipeline: name).text }

    /// Inserts the row, or puts it in place of the one that has its key.
    func store(in db: Database) throws {
        // SQLite's binding takes no bytes for no value, so that the size tells them apart.
        let values: [(any DatabaseValueConvertible)?] = [
            key, pipeline, entry.payload.map { Data($0) }, entry.payload?.count, entry.created.nanoseconds,
            entry.stored?.nanoseconds, entry.freshUntil?.nanoseconds, DatabaseValue(text: entry.etag),
            DatabaseValue(text: entry.lastModified), DatabaseValue(text: entry.contentType), DatabaseValue(text: entry.version),
            DatabaseValue(text: entry.source), used, entry.cacheControl?.text, DatabaseValue(text: entry.variant),
        ]
        try db.cachedStatement(sql: Self.upsert).execute(arguments: StatementArguments(values))
    }

    /// Changes what is known of the payload, in the row that has the key and is still `held`; tells whether there is one.
    func renew(_ held: Entry, in db: Database) throws -> Bool {
        let values: [(any DatabaseValueConvertible)?] = [
            entry.created.nanoseconds, entry.stored?.nanoseconds, entry.freshUntil?.nanoseconds, DatabaseValue(text: entry.lastModified),
            DatabaseValue(text: entry.version), DatabaseValue(text: entry.source), used, entry.cacheControl?.text,
            DatabaseValue(text: entry.variant),
            key, held.created.nanoseconds, held.stored?.nanoseconds, held.payload?.count, held.payload.map { Data($0) },
        ]
        try db.cachedStatement(sql: Self.renewal).execute(arguments: StatementArguments(values))
        return db.changesCount == 1
    }

    private static let renewal = """
        UPDATE entries SET created = ?, stored = ?, fresh_until = ?, last_modified = ?, version = ?, source = ?, used = ?,
            cache_control = ?, variant = ?
        WHERE key = ? AND created = ? AND stored IS ? AND size IS ? AND payload IS ?
        """

    private static let columns = [
        "key", "pipeline", "payload", "size", "created", "stored", "fresh_until", "etag", "last_modified", "content_type", "version",
        "source", "used", "cache_control", "variant",
    ]

    private static let upsert = """
        INSERT INTO entries (\(columns.joined(separator: ", "))) VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))
        ON CONFLICT (key) DO UPDATE SET \(columns.dropFirst().map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
        """

    static func entry(of key: Key, in db: Database) throws -> Entry? {
        let statement = try db.cachedStatement(sql: "\(reading) WHERE key = ?")
        guard let row = try Row.fetchOne(statement, arguments: [key.text]) else { return nil }
        return try entry(in: row)
    }

    /// The entries of those of `keys` that there are, by their texts.
    static func entries(of keys: [Key], in db: Database) throws -> [String: Result<Entry, any Error>] {
        // Few statements are prepared: what is left over of one is filled with a key that is there already.
        let count = (keys.count...).first { $0.nonzeroBitCount == 1 } ?? keys.count
        let values = keys.map(\.text) + Array(repeating: keys[0].text, count: count - keys.count)
        let places = Array(repeating: "?", count: count).joined(separator: ", ")
        let rows = try Row.fetchCursor(
            db.cachedStatement(sql: "\(reading) WHERE key IN (\(places))"), arguments: StatementArguments(values))
        var entries: [String: Result<Entry, any Error>] = [:]
        while let row = try rows.next() {
            guard let key: String = row.value("key") else { continue }
            entries[key] = Result { try entry(in: row) }
        }
        return entries
    }

    private static let reading = "SELECT key, payload, \(metadata) FROM entries"

    private static let metadata =
        "size, created, stored, fresh_until, etag, last_modified, content_type, version, source, cache_control, variant"

    private static func entry(in row: Row) throws -> Entry {
        let size: Int? = row.value("size")
        let payload: Data? = row.value("payload")
        guard (payload?.count ?? 0) == size ?? 0, var entry = metadata(in: row) else {
            throw SourceError("a row of the database is not as a cache wrote it", kind: .invalid)
        }
        if size != nil { entry.payload = payload.map { Array($0) } ?? [] }
        return entry
    }

    /// The entry of a row, without its payload, which is nil if there is no value; nil if no cache wrote the row.
    private static func metadata(in row: Row) -> Entry? {
        guard let created: Int64 = row.value("created") else { return nil }
        let size: Int? = row.value("size")
        var entry = Entry(
            [],
            created: Timestamp(nanoseconds: created),
            stored: moment("stored", in: row),
            freshUntil: moment("fresh_until", in: row),
            etag: text("etag", in: row),
            lastModified: text("last_modified", in: row),
            contentType: text("content_type", in: row),
            version: text("version", in: row),
            source: text("source", in: row),
            cacheControl: text("cache_control", in: row).map(CacheControl.init(text:)),
            variant: text("variant", in: row))
        if size == nil { entry.payload = nil }
        return entry
    }

    /// The first rows of `pipeline`, by key, without their payloads; those that no cache wrote are left out.
    static func copies(of pipeline: String, limit: Int, in db: Database) throws -> [CacheContents.Copy] {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT key, \(metadata) FROM entries WHERE pipeline = ? ORDER BY key LIMIT ?
                """, arguments: [text(ofPipeline: pipeline), limit])
        var copies: [CacheContents.Copy] = []
        while let row = try rows.next() {
            guard let text: String = row.value("key"), let key = Key(text: text), let entry = metadata(in: row) else { continue }
            let size: Int? = row.value("size")
            copies.append(CacheContents.Copy(key: key, entry: entry, size: size ?? 0))
        }
        return copies
    }

    private static func moment(_ column: String, in row: Row) -> Timestamp? {
        let nanoseconds: Int64? = row.value(column)
        return nanoseconds.map { Timestamp(nanoseconds: $0) }
    }

    private static func text(_ column: String, in row: Row) -> String? {
        let value: DatabaseValue = row[column]
        return value.text
    }
}

extension DatabaseValue {
    /// A text as it is stored: one with a NUL in it as bytes, since SQLite's texts end there. Nil for none.
    init?(text: String?) {
        guard let text else { return nil }
        self = text.utf8.contains(0) ? Data(text.utf8).databaseValue : text.databaseValue
    }

    /// A text that was stored that way; nil for any other value.
    var text: String? {
        switch storage {
        case .string(let text): text
        case .blob(let bytes): String(decoding: bytes, as: UTF8.self)
        default: nil
        }
    }
}

extension Row {
    /// The value of `column`; nil for none, and for one of another type: GRDB's own subscript would end the process there.
    func value<Value: DatabaseValueConvertible>(_ column: String) -> Value? {
        let value: DatabaseValue = self[column]
        return Value.fromDatabaseValue(value)
    }
}

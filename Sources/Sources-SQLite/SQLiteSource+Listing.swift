internal import GRDB
public import Pipeline

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

internal import Pipeline
internal import Synchronization

extension CacheDatabase {
    /// Looks whether the database could be used, or made.
    func check() throws {
        let state = state.withLock { $0 }
        if case .closed = state { throw SourceError("the source is closed") }
        try file.expectAccess()
        // One that is open has been looked at, and must not be opened beside SQLite.
        guard case .idle = state, try file.identity() != nil else { return }
        try expectCache(file.beginning(72))
    }

    /// Looks at the header of a database (https://www.sqlite.org/fileformat.html); an empty file is one, too.
    private func expectCache(_ header: [UInt8]) throws {
        guard !header.isEmpty else { return }
        guard header.starts(with: "SQLite format 3\0".utf8), header.count == 72 else {
            throw SourceError(invalid: "\(path) is no SQLite database")
        }
        let applicationID = header[68..<72].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        // What was written last may stand in the log beside it.
        guard applicationID == 0 || applicationID == UInt32(CacheSchema.applicationID) else {
            throw SourceError.cannot("use", path, because: "it is a database of something else")
        }
    }
}

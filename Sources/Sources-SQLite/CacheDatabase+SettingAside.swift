internal import GRDB
internal import Pipeline

extension CacheDatabase {
    /// Gives a damaged database another name, so that the next use makes a new one; tells what the caller fails with.
    ///
    /// Only while the folder is locked, and only if the name still leads to `damaged`: another process may have been first. What no cache made
    /// stays where it is.
    func setAside(_ damaged: DiskFile.Identity?, because error: DatabaseError) -> SourceError {
        let words = error.message ?? "error \(error.extendedResultCode.rawValue)"
        do {
            guard let damaged, try file.identity() == damaged else {
                return SourceError("\(path) was damaged (\(words)); it has been set aside already", kind: .invalid, cause: error)
            }
            if let refusal = refusal() { return refusal }
            let name = try freeName()
            // The database last: one that stands beside the log of another would take it for its own.
            for ending in ["-wal", "-shm", ""] { try DiskFile(path: path + ending).rename(to: name + ending) }
            return SourceError("\(path) is damaged (\(words)); it is set aside as \(name)", kind: .invalid, cause: error)
        } catch {
            return SourceError("\(path) is damaged (\(words)) and cannot be set aside: \(error)", kind: .invalid, cause: error)
        }
    }

    /// Why the file is not this cache's to use: nil for one that a cache made, however damaged it is.
    func refusal() -> SourceError? {
        let header = DatabaseHeader(ofFileAt: sqlitePath)
        if header?.isCache == true { return nil }
        let reason = header?.isDatabase == true ? "it is a damaged database of something else" : "it is not an SQLite database"
        return .refused(path, because: reason, help: "name another file as `path`")
    }

    /// `NAME.corrupt-SECONDS`, in seconds since 1970.
    private func freeName() throws -> String {
        var seconds = clock.wall().nanoseconds / 1_000_000_000
        while try DiskFile(path: "\(path).corrupt-\(seconds)").identity() != nil { seconds += 1 }
        return "\(path).corrupt-\(seconds)"
    }
}

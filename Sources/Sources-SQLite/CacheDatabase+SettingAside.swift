internal import GRDB
internal import GRDBSQLite
internal import Pipeline

extension CacheDatabase {
    /// Gives a damaged database another name, so that the next use makes a new one; tells what the caller fails with.
    ///
    /// Only while the folder is locked, and only if the name still leads to `damaged`: another process may have been first. What no cache made
    /// stays where it is.
    func setAside(_ damaged: DiskFile.Identity?, because error: DatabaseError) -> SourceError {
        let words = error.words
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

    /// The reason why the file is not this cache's to use: nil for one that a cache made, however damaged it is.
    func refusal() -> SourceError? {
        DatabaseHeader.refusal(ofFileAt: sqlitePath, unlessMadeBy: CacheSchema.applicationID).map { .refused(path, because: $0) }
    }

    /// `NAME.corrupt-SECONDS`, in seconds since 1970.
    private func freeName() throws -> String {
        var seconds = clock.wall().nanoseconds / 1_000_000_000
        while try DiskFile(path: "\(path).corrupt-\(seconds)").identity() != nil { seconds += 1 }
        return "\(path).corrupt-\(seconds)"
    }
}

/// The first bytes of a file, as far as they tell whose database it is (https://www.sqlite.org/fileformat.html#the_database_header).
struct DatabaseHeader {
    private static let size = 100
    private static let magic = Array("SQLite format 3".utf8) + [0]

    /// Indicates whether SQLite made the file.
    let isDatabase: Bool
    /// The number by which the program that made it calls its own; 0 for none.
    let applicationID: Int32

    /// The reason why a damaged file is not the database of the program with this number; nil if it is.
    static func refusal(ofFileAt path: String, unlessMadeBy applicationID: Int32) -> String? {
        guard let header = DatabaseHeader(ofFileAt: path), header.isDatabase else { return "it is not an SQLite database" }
        return header.applicationID == applicationID ? nil : "it is a damaged database of something else"
    }

    /// The header of the file at `path`; nil if it cannot be read. It is read through SQLite: opening the file otherwise, and closing it
    /// again, would drop the locks that SQLite holds.
    init?(ofFileAt path: String) {
        var connection: OpaquePointer?
        defer { sqlite3_close_v2(connection) }
        guard sqlite3_open_v2(path, &connection, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK else { return nil }
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(connection, nil, SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let file,
            let read = file.pointee.pMethods?.pointee.xRead
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: Self.size)
        // What a shorter file lacks is zero.
        let result = read(file, &bytes, Int32(Self.size), 0)
        guard result == SQLITE_OK || result == ResultCode.SQLITE_IOERR_SHORT_READ.rawValue else { return nil }
        isDatabase = bytes.starts(with: Self.magic)
        applicationID = bytes[68..<72].reduce(0) { $0 << 8 | Int32($1) }
    }
}

internal import GRDB
internal import GRDBSQLite

/// The first bytes of a file, as far as they tell whose database it is (https://www.sqlite.org/fileformat.html#the_database_header).
struct DatabaseHeader {
    private static let size = 100
    private static let magic = Array("SQLite format 3".utf8) + [0]

    /// Whether SQLite made the file.
    let isDatabase: Bool
    /// What the program that made it calls its own; 0 for none.
    let applicationID: Int32

    /// Whether a cache made it, however damaged the rest is.
    var isCache: Bool { isDatabase && applicationID == CacheSchema.applicationID }

    /// The header of the file at `path`; nil when it cannot be read. It is read through SQLite: opening the file otherwise, and closing it
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

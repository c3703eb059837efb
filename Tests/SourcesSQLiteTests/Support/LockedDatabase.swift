import GRDB

/// A database that another connection writes to, until this object is released.
final class LockedDatabase: Sendable {
    private let other: DatabaseQueue

    init(_ name: String = "cache.db", in folder: TemporaryFolder, exclusively: Bool = false) throws {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        other = try DatabaseQueue(path: folder.path + "/" + name, configuration: configuration)
        try other.inDatabase { try $0.execute(sql: exclusively ? "BEGIN EXCLUSIVE" : "BEGIN IMMEDIATE") }
    }

    func release() throws {
        try other.inDatabase { try $0.execute(sql: "ROLLBACK") }
        try other.close()
    }
}

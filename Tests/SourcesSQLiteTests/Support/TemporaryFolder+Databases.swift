import SourcesSQLite
import TestSupport

extension TemporaryFolder {
    func database(_ name: String = "cache.db") -> DatabasePath { DatabasePath(path + "/" + name) }

    /// Puts `bytes` where the database is.
    func put(_ bytes: some Sequence<UInt8>) throws { try put(bytes, into: "cache.db") }
}

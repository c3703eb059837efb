import GRDB
import Pipeline
import Testing

@testable import SourcesSQLite

/// What is said where a test that runs as root cannot bring it about.
@Suite struct SQLiteWordsTests {
    @Test(arguments: [
        (ResultCode.SQLITE_READONLY, "it is read-only"),
        (.SQLITE_READONLY_CANTINIT, "SQLite keeps `-shm` and `-wal` beside it, and cannot write there"),
        (.SQLITE_READONLY_CANTLOCK, "SQLite keeps `-shm` and `-wal` beside it, and cannot write there"),
        (.SQLITE_READONLY_DIRECTORY, "SQLite keeps `-shm` and `-wal` beside it, and cannot write there"),
        (.SQLITE_FULL, "the disk is full"), (.SQLITE_PERM, "permission denied"),
    ]) func `a refusal of the system is put in words`(code: ResultCode, words: String) {
        let error = SourceError.cannot("open", "a.db", DatabaseError(resultCode: code), busyTimeout: .seconds(5))

        #expect(error.reason == "cannot open a.db: \(words)")
    }

    @Test(arguments: [("a//b/./c.db", "a/b/c.db"), ("./c.db", "c.db"), ("/c.db", "/c.db"), (".", "."), ("./.", "."), ("/", "/")])
    func `a path has a name in every message`(path: String, text: String) {
        #expect(DatabasePath(path).text == text)
    }
}

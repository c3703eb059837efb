import Foundation
import GRDB
import Pipeline
import PipelineTesting
import SourcesSQLite
import Testing

/// Rows that no cache wrote: random values of every kind in each column.
@Suite struct OddRowTests {
    private static let columns = [
        "payload", "size", "created", "stored", "fresh_until", "etag", "last_modified", "content_type", "version", "source", "used",
    ]

    private static func value(_ numbers: inout SplitMix64) -> DatabaseValue {
        switch numbers.below(8) {
        case 0: .null
        case 1: numbers.pick([Int64.min, Int64.max, -1, 0, 1, Int64(Int32.min)]).databaseValue
        case 2: Int64(bitPattern: numbers.next()).databaseValue
        case 3: numbers.pick([Double.infinity, -Double.infinity, -0.0, 1e300, .leastNonzeroMagnitude]).databaseValue
        case 4: numbers.pick(["", "\u{0}", "9223372036854775808", "1e999", "text", "\u{FFFD}\u{202E}"]).databaseValue
        default:
            (0..<numbers.below(40)).reduce(into: Data()) { data, _ in data.append(UInt8(truncatingIfNeeded: numbers.next())) }.databaseValue
        }
    }

    @Test(arguments: [1, 2, 3, 4]) func `are an entry or an invalid copy, and never the end of the process`(seed: UInt64) async throws {
        let subject = try Subject()
        let cache = subject.cache()
        try await cache.write(subject.entry("value"), for: subject.key)
        await cache.close()
        let database = try DatabaseQueue(path: subject.folder.path + "/cache.db")
        var numbers = SplitMix64(seed: seed)
        var changes = 0

        for _ in 0..<150 {
            let (column, value) = (numbers.pick(Self.columns), Self.value(&numbers))
            let isChanged =
                (try? await database.write { try $0.execute(sql: "UPDATE entries SET \(column) = ?", arguments: [value]) }) != nil
            changes += isChanged ? 1 : 0
            let reader = subject.cache()
            let error = try await subject.failure { _ = try await reader.read(subject.key) }
            #expect(error == nil || error?.kind == .invalid, "\(column) = \(value): \(error?.reason ?? "")")
            await reader.close()
        }

        #expect(changes > 50)
        try database.close()
    }
}

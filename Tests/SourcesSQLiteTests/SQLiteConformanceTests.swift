import Pipeline
import PipelineConfig
import PipelineTesting
import Testing

@testable import SourcesSQLite

@Suite struct SQLiteConformanceTests {
    @Test(arguments: [false, true]) func `a database keeps the contract of a cache`(isDurable: Bool) async throws {
        let subject = try Subject()
        var count = 0

        let violations = await SourceConformance.ofCache(capabilities: SourcePlugin.sqlite.capabilities, clock: subject.time.clock) {
            count += 1
            return subject.cache("\(count)/cache.db", isDurable: isDurable)
        }

        #expect(violations == [])
    }

    @Test func `a bounded database keeps the contract of a cache`() async throws {
        let subject = try Subject()
        var count = 0

        let violations = await SourceConformance.ofCache(capabilities: SourcePlugin.sqlite.capabilities, clock: subject.time.clock) {
            count += 1
            return subject.cache("\(count).db", maxEntries: 64, maxBytes: .mebibytes(4))
        }

        #expect(violations == [])
    }

    @Test func `the plugin declares its fields`() {
        let declarations = SourcePlugin.sqlite.declarations

        #expect(declarations.map(\.name) == ["path", "durable", "busy_timeout", "max_entries", "max_bytes", "shared_flight"])
        #expect(declarations.map(\.isRequired) == [true, false, false, false, false, false])
        #expect(declarations.map(\.defaultText) == [nil, "false", "5s", nil, nil, "false"])
        #expect(declarations.map(\.role) == [.place, nil, nil, .bound, .bound, nil])
        #expect(SourcePlugin.sqlite.capabilities == [.writes, .keepsMetadata, .keepsNotFound, .listsKeys])
    }
}

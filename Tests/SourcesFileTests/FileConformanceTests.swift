import Pipeline
import PipelineConfig
import PipelineTesting
import Testing

@testable import SourcesFile

@Suite struct FileConformanceTests {
    @Test(arguments: ["{key}.json", "{pipeline}/{key}.json", "deep/er/{key}"], [false, true])
    func `a file source keeps the contract of a cache`(template: String, isDurable: Bool) async throws {
        let folder = try TemporaryFolder()
        let time = ManualClock()
        var count = 0

        let violations = await SourceConformance.ofCache(capabilities: SourcePlugin.file.capabilities, clock: time.clock) {
            count += 1
            return FileSource(path: folder.template("\(count)/\(template)"), isDurable: isDurable, clock: time.clock)
        }

        #expect(violations.isEmpty, "\(violations)")
    }

    @Test func `a bounded file source keeps the contract of a cache`() async throws {
        let folder = try TemporaryFolder()
        let time = ManualClock()
        var count = 0

        let violations = await SourceConformance.ofCache(capabilities: SourcePlugin.file.capabilities, clock: time.clock) {
            count += 1
            return FileSource(
                path: folder.template("\(count)/{key}.json"), maxEntries: 64, maxBytes: .mebibytes(4), clock: time.clock)
        }

        #expect(violations.isEmpty, "\(violations)")
    }

    @Test func `a read-only file source keeps the contract of an origin`() async throws {
        let folder = try TemporaryFolder()
        try folder.put("value", into: "friends,user=42.json")

        let violations = await SourceConformance.ofOrigin(
            make: { FileOrigin(path: folder.template("{key}.json"), clock: ManualClock().clock) },
            existing: Key(pipeline: "friends", parameters: ["user": "42"]), expected: Array("value".utf8),
            missing: Key(pipeline: "friends", parameters: ["user": "43"]))

        #expect(violations.isEmpty, "\(violations)")
    }
}

import Foundation
import Pipeline
import PipelineTesting
import Testing

@testable import PipelineConfig

/// Caches that keep their copies at another place for a run.
@Suite struct CachePlaceTests {
    private static func spec(_ source: String, in folder: String, ttl: Bool = true, plugins: [SourcePlugin] = Reading.plugins) throws
        -> SourceSpec
    {
        let report = Reading.report(
            "sources:\n  disk: \(source)\n  end: { type: http, url: http://127.0.0.1:9/ }\npipelines:\n  friends: { parameters: [user], tiers: [\(ttl ? "{ source: disk, ttl: 1m }" : "disk"), end] }\n",
            folder: "conf", plugins: plugins)
        let specs = try report.specs(
            ofPipeline: "friends", asking: nil, swapping: .none.placing { _ in CachePlace(folder: folder, prefix: "apart:") },
            clock: .system, random: .seeded(1))
        return try #require(specs.first?.tiers.first?.source)
    }

    private static let key = Key(pipeline: "friends", parameters: ["user": "42"])
    private static let entry = Entry(Array("[1]".utf8), created: PipelineClock.system.now)

    @Test(arguments: [
        (".cache/{key}.json", "friends,user=42.json"), ("/var/x/{user}/copy.json", "42/copy.json"), ("{key}", "friends,user=42"),
        ("deep/er/a-{user}", "a-42"),
    ]) func `files move with what tells their keys apart`(path: String, moved: String) async throws {
        let folder = try TemporaryPlace()
        let source = try Self.spec("{ type: file, path: \"\(path)\", max_entries: 5 }", in: folder.path)

        try await #require(source.cache).write(Self.entry, for: Self.key)

        #expect(FileManager.default.fileExists(atPath: "\(folder.path)/\(moved)"), "\(folder.contents)")
        #expect(try await source.source.read(Self.key)?.payload == Array("[1]".utf8))
    }

    @Test func `a database moves to a file of its own`() async throws {
        let folder = try TemporaryPlace()
        let source = try Self.spec("{ type: sqlite, path: deep/copies.db, max_entries: 5 }", in: folder.path)

        try await #require(source.cache).write(Self.entry, for: Self.key)
        await source.source.close()

        #expect(folder.contents.contains(CachePlace.file))
    }

    @Test func `files that are only read stay where they are`() async throws {
        let folder = try TemporaryPlace()
        try Data("[2]".utf8).write(to: URL(filePath: folder.path + "/flat-42.json"))
        let source = try Self.spec("{ type: file, path: \"\(folder.path)/flat-{user}.json\", read_only: true }", in: "/nowhere", ttl: false)

        #expect(source.isOrigin)
        #expect(try await source.source.read(Self.key)?.payload == Array("[2]".utf8))
    }

    @Test func `a place that nothing can move is an error, and a cache without a place needs none`() throws {
        let fixed = SourcePlugin(
            cache: "fixed", summary: "Writes to one bucket.", fields: Field<String>("bucket", "The bucket.").role(.place)
        ) { context, _ in StubSource(clock: context.clock) }

        #expect(throws: UnmovableCache.self) { try Self.spec("{ type: fixed, bucket: b }", in: "/x", plugins: Reading.plugins + [fixed]) }
        _ = try Self.spec("{ type: memory }", in: "/x")
    }

    @Test func `a prefix of keys gets another in front`() throws {
        let prefixed = SourcePlugin(
            cache: "prefixed", summary: "Shares a server.",
            fields: Field<String>("server", "The server.").role(.place), Field("prefix", default: "p:", "The prefix.").role(.keyPrefix)
        ) { context, server, prefix in
            PlacedStub(place: "\(server) \(prefix)")
        }

        let source = try Self.spec("{ type: prefixed, server: s }", in: "/x", plugins: Reading.plugins + [prefixed])

        #expect((source.source as? PlacedStub)?.place == "s apart:p:")
    }
}

/// A folder that goes with this object.
private final class TemporaryPlace {
    let path = NSTemporaryDirectory() + "cache-place-" + UUID().uuidString

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var contents: [String] { (try? FileManager.default.subpathsOfDirectory(atPath: path).sorted()) ?? [] }
}

/// A cache that keeps nothing, and says where.
private struct PlacedStub: WritableSource {
    let place: String

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { nil }
    func write(_ entry: Entry, for key: Key) async throws {}
    func remove(_ key: Key) async throws {}
    func clear(pipeline: String) async throws {}
}

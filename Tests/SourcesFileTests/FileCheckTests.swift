import Foundation
import Pipeline
import PipelineTesting
import Testing

@testable import SourcesFile

/// Whether files could be used, found out without making any.
@Suite struct FileCheckTests {
    let folder: TemporaryFolder
    let time = ManualClock()

    init() throws {
        folder = try TemporaryFolder()
    }

    private func cache(_ template: String) -> FileSource { FileSource(path: folder.template(template), clock: time.clock) }
    private func origin(_ template: String) -> FileOrigin { FileOrigin(path: folder.template(template), clock: time.clock) }

    /// What the check fails with; nil when the source is reachable.
    private func reason(_ source: some Source) async throws -> String? {
        do {
            #expect(try await source.check() == .reachable)
            return nil
        } catch let error as SourceError {
            #expect(error.kind == .failure)
            return error.reason.replacingOccurrences(of: folder.path, with: "…")
        }
    }

    @Test(arguments: ["{key}.json", "deep/deeper/{key}.json", "one.json", "deep/one.json", "{user}/{key}"])
    func `a cache whose folders are still to be made is reachable, and none is made`(template: String) async throws {
        #expect(try await reason(cache(template)) == nil)
        #expect(try folder.contents() == [])
    }

    @Test func `a cache with copies is reachable, and they stay`() async throws {
        try folder.put("[]", into: "deep/friends.json")

        #expect(try await reason(cache("deep/{key}.json")) == nil)
        #expect(try await reason(cache("deep/friends.json")) == nil)
        #expect(try folder.contents() == ["deep/", "deep/friends.json"])
    }

    @Test func `a cache below a file, or in place of a folder, is not`() async throws {
        try folder.put("", into: "file")
        try folder.put("", into: "folder.json/kept")

        #expect(try await reason(cache("file/{key}.json")) == "cannot use …/file: it is not a folder")
        #expect(try await reason(cache("file/deep/{key}.json")) == "cannot use …/file/deep: not a directory")
        #expect(try await reason(cache("folder.json")) == "cannot use …/folder.json: it is a folder")
        #expect(try folder.contents() == ["file", "folder.json/", "folder.json/kept"])
    }

    @Test(.enabled(if: geteuid() != 0, "root may write everywhere"))
    func `a cache in a folder that may not be written is not, nor is one in a folder below it`() async throws {
        try folder.put("", into: "locked/kept")
        #expect(chmod(folder.path + "/locked", 0o555) == 0)
        defer { chmod(folder.path + "/locked", 0o755) }

        #expect(try await reason(cache("locked/{key}.json")) == "cannot write into …/locked: permission denied")
        #expect(try await reason(cache("locked/deep/{key}.json")) == "cannot write into …/locked: permission denied")
    }

    @Test func `an origin's file is read or missing`() async throws {
        try folder.put("[]", into: "friends.json")
        try folder.put("", into: "folder/kept")

        #expect(try await reason(origin("friends.json")) == nil)
        #expect(try await reason(origin("none.json")) == "cannot read …/none.json: no such file or directory")
        #expect(try await reason(origin("folder")) == "cannot read …/folder: it is a folder")
        #expect(try await reason(origin("friends.json/x")) == "cannot read …/friends.json/x: not a directory")
    }

    @Test func `of an origin with parameters the folder counts`() async throws {
        try folder.put("[]", into: "users/1.json")

        #expect(try await reason(origin("users/{user}.json")) == nil)
        #expect(try await reason(origin("none/{user}.json")) == "cannot read …/none: no such file or directory")
        #expect(try await reason(origin("users/1.json/{user}")) == "cannot read …/users/1.json: not a directory")
    }

    @Test func `a check that is cancelled ends as cancelled`() async throws {
        for source in [cache("{key}"), origin("{key}")] as [any Source] {
            let check = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await source.check()
            }
            await #expect(throws: CancellationError.self) { try await check.value }
        }
    }
}

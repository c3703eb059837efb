import Foundation
import Pipeline
import PipelineTesting
import Testing

@testable import SourcesFile

@Suite struct FileModeTests {
    let folder: TemporaryFolder
    let time = ManualClock()
    let key = Key(pipeline: "friends")

    init() throws {
        folder = try TemporaryFolder()
    }

    private func modes() throws -> [String: Int] {
        var modes: [String: Int] = [:]
        for name in try folder.contents() {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)
            modes[name] = (attributes[.posixPermissions] as? NSNumber)?.intValue
        }
        return modes
    }

    private func write(_ mode: FileMode) async throws {
        let source = FileSource(path: folder.template("a/b/{key}.json"), mode: mode, clock: time.clock)
        try await source.write(.version(1), for: key)
    }

    @Test func `new files and folders are their owner's alone`() async throws {
        try await write(.ownerOnly)

        #expect(try modes() == ["a/": 0o700, "a/b/": 0o700, "a/b/.friends.json.meta": 0o600, "a/b/friends.json": 0o600])
    }

    @Test(arguments: [("0644", 0o644, 0o755), ("640", 0o640, 0o750), ("0666", 0o666, 0o777)])
    func `mode says who else may use them, whatever the umask`(text: String, files: Int, folders: Int) async throws {
        try await write(try #require(FileMode(text)))

        #expect(try modes() == ["a/": folders, "a/b/": folders, "a/b/.friends.json.meta": files, "a/b/friends.json": files])
    }

    @Test(arguments: ["", "64", "0400", "0888", "1644", "00644", "rw-r--r--", "0o644", "+644", "-644"])
    func `what is no mode with which the owner can read and write is refused`(text: String) {
        #expect(FileMode(text) == nil)
    }
}

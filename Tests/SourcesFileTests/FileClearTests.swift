import Foundation
import Pipeline
import PipelineConfig
import PipelineTesting
import Testing

@testable import SourcesFile

@Suite struct FileClearTests {
    let folder: TemporaryFolder
    let time = ManualClock()

    init() throws {
        folder = try TemporaryFolder()
    }

    private func source(_ template: String) -> FileSource {
        FileSource(path: folder.template(template), clock: time.clock)
    }

    @Test func `clear takes the files of its pipeline, their sidecars and empty folders, and nothing else`() async throws {
        let source = source("{pipeline}/{user}/x.json")
        for (pipeline, user) in [("a", "1"), ("a", "2"), ("b", "1"), ("a%", "1")] {
            try await source.write(.version(1), for: Key(pipeline: pipeline, parameters: ["user": user]))
        }
        let foreign = ["a/1/notes.txt", "a/x.json", "a/1/deeper/x.json", "x.json", "a/1/.y.json.meta"]
        for name in foreign { try folder.put("mine", into: name) }

        try await source.clear(pipeline: "a")

        #expect(
            try folder.contents().filter { !$0.hasSuffix("/") }
                == (foreign + ["b/1/x.json", "b/1/.x.json.meta", "a%25/1/x.json", "a%25/1/.x.json.meta"]).sorted())
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/a/2"))
    }

    @Test func `clear finds the files of an absolute path, wherever the configuration file is`() async throws {
        let template = PathTemplate.text(folder.path + "/{key}.json", base: "/somewhere/else")
        let source = FileSource(path: template, clock: time.clock)
        try await source.write(.version(1), for: Key(pipeline: "a"))

        try await source.clear(pipeline: "a")

        #expect(try folder.contents() == [])
    }

    @Test func `clear of the last copy keeps the template's folder`() async throws {
        let source = source("cache/{user}/x.json")
        try await source.write(.version(1), for: Key(pipeline: "a", parameters: ["user": "1"]))

        try await source.clear(pipeline: "a")

        #expect(try folder.contents() == ["cache/"])
    }

    @Test func `clear does not follow symbolic links out of the folder`() async throws {
        let outside = try TemporaryFolder()
        try outside.put("mine", into: "x.json")
        let source = source("{user}/x.json")
        try await source.write(.version(1), for: Key(pipeline: "a", parameters: ["user": "1"]))
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/2", withDestinationPath: outside.path)

        try await source.clear(pipeline: "a")

        #expect(try outside.contents() == ["x.json"])
        #expect(try folder.contents().map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 } == ["2"])
    }

    @Test func `a file that several pipelines can have is cleared for the one that wrote it`() async throws {
        let source = source("{user}.json")
        let (mine, others) = (Key(pipeline: "a", parameters: ["user": "1"]), Key(pipeline: "b", parameters: ["user": "2"]))
        try await source.write(.version(1), for: mine)
        try await source.write(.version(2), for: others)

        try await source.clear(pipeline: "a")

        #expect(try await source.read(mine) == nil)
        #expect(try await source.read(others)?.wholeVersion == 2)
    }

    @Test func `a template without parameters is one file`() async throws {
        let source = source("one.json")
        try folder.put("mine", into: "two.json")
        try await source.write(.version(1), for: Key(pipeline: "a"))

        try await source.clear(pipeline: "b")
        #expect(try await source.read(Key(pipeline: "a"))?.wholeVersion == 1)
        try await source.clear(pipeline: "a")

        #expect(try folder.contents() == ["two.json"])
    }

    @Test func `a copy that was changed by hand goes, and a file that no cache wrote stays`() async throws {
        let source = source("{key}.json")
        for user in ["1", "2"] { try await source.write(.version(1), for: Key(pipeline: "a", parameters: ["user": user])) }
        try folder.put("by hand", into: "a,user=1.json")
        try folder.put("by hand", into: "a,user=3.json")
        try folder.put("by hand", into: "b.json")

        let contents = try await self.source("{key}.json").contents(of: "a", limit: 10)
        try await self.source("{key}.json").clear(pipeline: "a")

        #expect(contents?.copies.count == 2 && contents?.foreign == 1)
        #expect(try folder.contents() == ["a,user=3.json", "b.json"])
    }

    static let templates: [(String, ours: String, foreign: [String])] = [
        ("data/{user}.json", "data/ada.json", ["data/package.json", "data/a b.json", "data/x%zz.json", "data/.eslintrc.json"]),
        ("{user}.json", "ada.json", ["package.json", ".eslintrc.json", "A.json", "%.json", "..json"]),
        ("{user}", "ada", ["Makefile", ".gitignore", ".notes.meta", "a~"]),
        ("{user}/x.json", "ada/x.json", ["src/x.json", ".git/x.json"]),
        ("{pipeline}-{user}.txt", "p-ada.txt", ["p-readme.txt", "p-.txt"]),
        ("{user}%.json", "ada%.json", ["my%.json", "long%/rest%.json"]),
    ]

    @Test(arguments: templates)
    func `only copies are listed and cleared, whatever the names of other files`(
        template: String, ours: String, foreign: [String]
    ) async throws {
        for name in foreign { try folder.put("mine", into: name) }
        try await source(template).write(.version(1), for: Key(pipeline: "p", parameters: ["user": "ada"]))
        #expect(try folder.contents().contains(ours))

        let contents = try await source(template).contents(of: "p", limit: 10)
        try await source(template).clear(pipeline: "p")

        #expect(contents?.copies.map(\.key) == [Key(pipeline: "p", parameters: ["user": "ada"])])
        #expect(try folder.contents().filter { !$0.hasSuffix("/") } == foreign.sorted())
    }

    @Test func `a file that this process read as a copy is one`() async throws {
        try folder.put("by hand", into: "ada.json")
        try folder.put("by hand", into: "package.json")
        let source = source("{user}.json")
        #expect(try await source.read(Key(pipeline: "a", parameters: ["user": "ada"])) != nil)

        try await source.clear(pipeline: "a")

        #expect(try folder.contents() == ["package.json"])
        #expect(try await source.contents(of: "a", limit: 1)?.foreign == 1)
    }

    @Test(arguments: ["", "mine", "pipe-run-meta 1\n"])
    func `a file with the name of a sidecar is no record`(text: String) async throws {
        try folder.put("mine", into: "package.json")
        try folder.put(text, into: ".package.json.meta")

        try await source("{user}.json").clear(pipeline: "a")

        #expect(try folder.contents() == [".package.json.meta", "package.json"])
    }

    @Test func `a long name with a record goes with its record`() async throws {
        let key = Key(pipeline: "a", parameters: ["user": String(repeating: "x", count: 199)])
        let template = String(repeating: "y", count: 50) + "{user}"
        try await source(template).write(.version(1), for: key)

        try await source(template).clear(pipeline: "a")

        #expect(try folder.contents() == [])
    }

    @Test func `a hidden file that is like a temporary one stays`() async throws {
        let names = [".pipe-run-notes.tmp", ".pipe-run-.tmp", ".pipe-run-0123456789abcdef0.tmp"]
        for name in names { try folder.put("mine", into: name) }
        let source = source("{user}.json")
        try await source.write(.version(1), for: Key(pipeline: "a", parameters: ["user": "1"]))

        try await source.clear(pipeline: "a")

        #expect(try folder.contents() == names.sorted())
    }

    @Test func `a sidecar whose payload is gone goes, too`() async throws {
        let source = source("{key}.json")
        try await source.write(.version(1), for: Key(pipeline: "a"))
        try FileManager.default.removeItem(atPath: folder.path + "/a.json")

        try await source.clear(pipeline: "a")

        #expect(try folder.contents() == [])
    }

    @Test func `folders that no key leads to are not looked into`() async throws {
        let layout = FileLayout(folder.template("{user}.json"))
        for name in ["1.json", "sub/2.json", "long%/rest.json", "sub/deep%/3.json"] { try folder.put("", into: name) }
        var seen: [String] = []

        try FolderWalk.forEachFolder(of: layout) { stop in
            seen.append(String(stop.prefix.dropFirst(folder.path.count)))
            return false
        }

        #expect(seen == ["/long%/", "/"])
    }
}

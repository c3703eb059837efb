import Testing

@testable import SourcesWatch

/// Real files, saved in the ways that programs have.
@Suite(.timeLimit(.minutes(15))) struct SavingTests {
    @Test(arguments: Saving.allCases, Watching.Manner.allCases)
    func `LV-46 each usual way of saving ten times gives ten values, none torn or empty`(
        saving: Saving, manner: Watching.Manner
    ) async throws {
        let folder = try TemporaryFolder()
        try saving.begin(in: folder)

        try await Watching.run(saving.path(in: folder), manner) { watching in
            for number in 1...10 {
                try saving.save(number, in: folder)
                await watching.sees(Saving.text(number))
            }

            #expect(watching.values == (1...10).map { Saving.text($0) })
        }
    }

    @Test(arguments: Watching.Manner.allCases)
    func `a file and folders that do not exist yet are seen when they come`(manner: Watching.Manner) async throws {
        let folder = try TemporaryFolder()

        try await Watching.run(folder.path + "/a/b/c/team.json", manner) { watching in
            try folder.put("one", into: "a/b/other")
            try folder.put("two", into: "a/b/c/team.json")
            await watching.sees("two")

            #expect(watching.values == ["two"])
        }
    }

    @Test(arguments: Watching.Manner.allCases)
    func `a file that stays away is a change, and its return another`(manner: Watching.Manner) async throws {
        let folder = try TemporaryFolder()
        try folder.put("one", into: "team.json")

        try await Watching.run(folder.path + "/team.json", manner, { $0.absence = .milliseconds(500) }) { watching in
            _ = try ChildProcess.run(["rm", folder.path + "/team.json"])
            await watching.sees(nil)
            try folder.put("one", into: "team.json")
            await watching.sees("one")

            #expect(watching.values == [nil, "one"])
        }
    }

    @Test(arguments: Watching.Manner.allCases)
    func `what leaves the content as it is is no change`(manner: Watching.Manner) async throws {
        let folder = try TemporaryFolder()
        try folder.put("one", into: "team.json")

        try await Watching.run(folder.path + "/team.json", manner) { watching in
            for command in ["touch $0", "chmod 600 $0", "cp $0 $0.new && mv $0.new $0", "echo x > $0.other", "cat $0"] {
                _ = try ChildProcess.run(["sh", "-c", command, folder.path + "/team.json"])
            }
            try folder.put("two", into: "team.json")
            await watching.sees("two")

            #expect(watching.signals == 1)
        }
    }

    @Test func `a folder or a FIFO in the place of the file is no file, and holds nothing up`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/team.json"
        _ = try ChildProcess.run(["mkfifo", path])

        try await Watching.run(path) { watching in
            _ = try ChildProcess.run(["sh", "-c", "rm $0 && mkdir $0", path])
            _ = try ChildProcess.run(["sh", "-c", "rmdir $0 && printf two > $0", path])
            await watching.sees("two")

            #expect(watching.values == ["two"])
        }
    }

    @Test func `links that lead in a circle are no file until they are replaced`() async throws {
        let folder = try TemporaryFolder()
        _ = try ChildProcess.run(["sh", "-c", "cd $0 && ln -s b a && ln -s a b", folder.path])

        try await Watching.run(folder.path + "/a") { watching in
            try folder.put("one", into: "c")
            _ = try ChildProcess.run(["sh", "-c", "cd $0 && mv c b", folder.path])
            await watching.sees("one")
        }
    }

    @Test func `a relative path and one with dots lead to the file that they name`() async throws {
        let folder = try TemporaryFolder()
        try folder.put("one", into: "a/team.json")
        try folder.put("", into: "b/c/empty")

        try await Watching.run(folder.path + "/b//c/.././../a/./team.json") { watching in
            try folder.put("two", into: "a/team.json")
            await watching.sees("two")
        }
    }

    @Test func `a file too large to be read is compared by what the system says about it`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/large"
        _ = try ChildProcess.run(["truncate", "-s", "65M", path])

        try await Watching.run(path) { watching in
            _ = try ChildProcess.run(["touch", path])
            await watching.signal()
        }
    }

    @Test func `many files share one connection to the system, which is closed with the last`() async throws {
        let folder = try TemporaryFolder()

        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                group.addTask {
                    try folder.put("one", into: "\(number).json")
                    try await Watching.run(folder.path + "/\(number).json") { watching in
                        try folder.put("two", into: "\(number).json")
                        await watching.sees("two")
                        #expect(watching.signals == 1)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

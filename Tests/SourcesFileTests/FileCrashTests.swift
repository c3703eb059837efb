import Pipeline
import PipelineTesting
import Testing

@testable import SourcesFile

/// Each crash is that of a process of its own, killed with SIGKILL before a step of a write.
@Suite struct FileCrashTests {
    let folder: TemporaryFolder
    let key = Key(pipeline: "friends")

    init() throws {
        folder = try TemporaryFolder()
    }

    static let writeSteps: [FileStep] = [
        .createTemporary, .writePayload, .syncPayload, .stampPayload, .lockFolder, .writeSidecar, .syncSidecar, .replaceSidecar,
        .replacePayload, .syncFolder,
    ]

    private func newSource() -> FileSource {
        FileSource(path: folder.template("{key}.json"), clock: ManualClock().clock)
    }

    @Test(arguments: writeSteps, [true, false])
    func `SH-02 a kill before any step leaves the old value or the new one`(step: FileStep, hasOld: Bool) async throws {
        if hasOld { try await newSource().write(.version(1, size: 5_000), for: key) }

        await #expect(processExitsWith: .signal(killSignal)) { [path = folder.path as String, step = step as FileStep] in
            let source = FileSource(path: .text(path + "/{key}.json"), isDurable: true, clock: .system) {
                current throws(SystemFailure) in
                if current == step { killThisProcess() }
            }
            try await source.write(.version(2, size: 300_000), for: Key(pipeline: "friends"))
        }

        let found = try await newSource().read(key)
        #expect(found.map(\.wholeVersion) == (step == .syncFolder ? 2 : hasOld ? 1 : nil))
        try await newSource().write(.version(3), for: key)
        #expect(try await newSource().read(key)?.wholeVersion == 3)
        #expect(try folder.contents() == [".friends.json.meta", "friends.json"])
    }

    @Test(arguments: Array(stride(from: 7, to: 1_800, by: 149)))
    func `SH-02 a kill in the middle of 200 writes leaves one of the values`(steps: Int) async throws {
        await #expect(processExitsWith: .signal(killSignal)) { [path = folder.path as String, steps = steps as Int] in
            let countdown = Countdown(steps)
            let source = FileSource(path: .text(path + "/{key}.json"), clock: .system) { _ throws(SystemFailure) in
                if !countdown.isOneOfTheFirst() { killThisProcess() }
            }
            for version in 1...200 { try await source.write(.version(version, size: 300_000), for: Key(pipeline: "friends")) }
        }

        // Each write takes 9 steps here, the first one 8: it finds no sidecar to read.
        let version = try await newSource().read(key).map { $0.wholeVersion ?? .min } ?? 0
        let completed = (steps + 1) / 9
        #expect(completed...(completed + 1) ~= version || steps < 8 && version == 0, "\(version) after \(steps) steps")
        try await newSource().write(.version(3), for: key)
        #expect(try folder.contents() == [".friends.json.meta", "friends.json"])
    }

    @Test func `a sweep takes the leftovers of the dead and not the files of the living`() async throws {
        let living = try TemporaryFile(in: Folder(folder.path))
        try folder.put("half", into: ".pipe-run-0123456789abcdef.tmp")
        try folder.put("of another program", into: ".pipe-run-notes")
        let before = try folder.contents().count

        try await newSource().write(.version(1), for: key)

        let contents = try folder.contents()
        #expect(before == 3)
        #expect(contents.count == 4, "\(contents)")
        #expect(!contents.contains(".pipe-run-0123456789abcdef.tmp"))
        #expect(contents.contains(".pipe-run-notes"))
        try living.place(as: "placed")
        #expect(try folder.contents().contains("placed"))
    }

    @Test func `leftovers are no copies`() async throws {
        try folder.put("half", into: ".pipe-run-0123456789abcdef.tmp")

        #expect(try await newSource().read(key) == nil)
        try await newSource().clear(pipeline: "friends")

        #expect(try folder.payloads() == [])
    }

    @Test func `SH-02 a kill while removing leaves the copy or nothing`() async throws {
        for step in [FileStep.removePayload, .removeSidecar] {
            try await newSource().write(.version(1), for: key)

            await #expect(processExitsWith: .signal(killSignal)) { [path = folder.path as String, step = step as FileStep] in
                let source = FileSource(path: .text(path + "/{key}.json"), clock: .system) { current throws(SystemFailure) in
                    if current == step { killThisProcess() }
                }
                try await source.remove(Key(pipeline: "friends"))
            }

            #expect(try await newSource().read(key)?.wholeVersion == (step == .removePayload ? 1 : nil))
        }
        try await newSource().clear(pipeline: "friends")
        #expect(try folder.contents() == [])
    }
}

import Foundation
import Pipeline
import PipelineTesting
import Testing

@testable import SourcesFile

@Suite struct FileMetadataTests {
    let folder: TemporaryFolder
    let time = ManualClock()
    let key = Key(pipeline: "friends", parameters: ["user": "42"])
    let name = "friends,user=42.json"

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A source as a process that starts now would make it.
    private func newSource(before: FileStepHook? = nil) -> FileSource {
        FileSource(path: folder.template("{key}.json"), clock: time.clock, before: before)
    }

    private var path: String { folder.path + "/" + name }

    @Test func `metadata survives a restart`() async throws {
        let full = Entry(
            [1], created: Timestamp(nanoseconds: 123), stored: Timestamp(nanoseconds: .max), freshUntil: Timestamp(nanoseconds: .min),
            etag: "W/\"a%\n\"", lastModified: "", contentType: "text/plain; é", version: "\u{301}1", source: "api: eu ")
        let bare = Entry([2], created: Timestamp(nanoseconds: -1))

        for entry in [full, bare] {
            try await newSource().write(entry, for: key)
            #expect(try await newSource().read(key) == entry)
        }
    }

    @Test func `after a change by hand the file's own time counts`() async throws {
        let known = newSource()
        try await known.write(.version(1), for: key)

        try folder.put("by hand", into: name)
        FileTimes.set(modified: 1_700_000_000_123_456_789, of: path)

        let changed = Timestamp(nanoseconds: 1_700_000_000_123_456_789)
        let expected = Entry(Array("by hand".utf8), created: changed, stored: changed)
        for source in [known, newSource()] { #expect(try await source.read(key) == expected) }
    }

    @Test func `a change by hand that keeps the size is seen, too`() async throws {
        let known = newSource()
        try await known.write(.version(1), for: key)

        try folder.put("version 2;", into: name)

        for source in [known, newSource()] {
            let entry = try #require(try await source.read(key))
            #expect(entry.text == "version 2;")
            #expect(entry.etag == nil && entry.freshUntil == nil)
        }
    }

    @Test func `a file put there by hand is a copy`() async throws {
        try folder.put("[]", into: name)
        FileTimes.set(modified: 5_000_000_007, of: path)

        let time = Timestamp(nanoseconds: 5_000_000_007)
        #expect(try await newSource().read(key) == Entry(Array("[]".utf8), created: time, stored: time))
    }

    @Test func `a write after a change by hand has its own metadata`() async throws {
        try await newSource().write(.version(1), for: key)
        try folder.put("by hand", into: name)

        try await newSource().write(.version(2), for: key)

        #expect(try await newSource().read(key)?.wholeVersion == 2)
    }

    @Test(arguments: ["", "pipe-run-meta 1\n", "garbage", "\0\0\0\0", "pipe-run-meta 2\nend: 0\n", "end: cbf29ce484222325\n"])
    func `TI-07 a corrupt sidecar is no metadata`(garbage: String) async throws {
        try await newSource().write(.version(1), for: key)
        try folder.put(garbage, into: ".\(name).meta")

        let entry = try #require(try await newSource().read(key))

        #expect(entry.text == "version 1;")
        #expect(entry.etag == nil)
        #expect(entry.stored == entry.created)
        try await newSource().write(.version(2), for: key)
        #expect(try await newSource().read(key)?.wholeVersion == 2)
    }

    @Test func `a sidecar of the greatest length and a folder in place of one are no metadata`() async throws {
        let sidecar = folder.path + "/.\(name).meta"
        try folder.put("value", into: name)

        try folder.put(Array(repeating: 0x61, count: 2 << 20), into: ".\(name).meta")
        #expect(try await newSource().read(key)?.text == "value")

        try FileManager.default.removeItem(atPath: sidecar)
        try FileManager.default.createDirectory(atPath: sidecar, withIntermediateDirectories: false)
        #expect(try await newSource().read(key)?.text == "value")
    }

    @Test func `a sidecar that is there and cannot be read is a failure, since a limit may stand in it`() async throws {
        try await newSource().write(.version(1), for: key)
        let source = newSource { step throws(SystemFailure) in
            if step == .readSidecar { throw SystemFailure(code: EIO) }
        }

        let error = await #expect(throws: SourceError.self) { try await source.read(key) }

        #expect(error?.reason == "cannot read \(folder.path)/.\(name).meta: input/output error")
    }

    @Test func `TI-07 a payload that lost its bytes in a power failure is invalid`() async throws {
        time.advance(by: .nanoseconds(1))
        try await newSource().write(.version(1), for: key)
        let written = try FileStatus(of: path)

        try folder.put("", into: name)
        FileTimes.set(modified: written.modified, of: path)

        let error = await #expect(throws: SourceError.self) { try await newSource().read(key) }
        #expect(error?.kind == .invalid)
        #expect(error?.reason == "\(path) is torn: 0 of 10 bytes are there")
        try await newSource().write(.version(2), for: key)
        #expect(try await newSource().read(key)?.wholeVersion == 2)
    }

    @Test func `a copy of another key in the same file is a miss`() async throws {
        // As two keys that differ in nothing but case do where names do not tell cases apart.
        let template = folder.template("{user}.json")
        let written = Key(pipeline: "friends", parameters: ["user": "42"])
        let asked = Key(pipeline: "groups", parameters: ["user": "42"])
        let source = FileSource(path: template, clock: time.clock)

        try await source.write(.version(1), for: written)

        #expect(try await source.read(asked) == nil)
        #expect(try await FileSource(path: template, clock: time.clock).read(asked) == nil)
        #expect(try await source.read(written)?.wholeVersion == 1)
    }

    @Test func `a copied folder keeps its metadata`() async throws {
        try await newSource().write(.version(1), for: key)
        let status = try FileStatus(of: path)

        let bytes = try folder.bytes(of: name)
        try FileManager.default.removeItem(atPath: path)
        try folder.put(bytes, into: name)
        FileTimes.set(modified: status.modified, of: path)

        #expect(try await newSource().read(key)?.wholeVersion == 1)
    }

    @Test func `writes at the same moment are told apart`() async throws {
        // Two processes whose clocks show the same time, and payloads of one size.
        try await newSource().write(.version(1), for: key)
        let first = try FileStatus(of: path)
        try await newSource().write(.version(2), for: key)

        #expect(try FileStatus(of: path).identity != first.identity)
        #expect(try await newSource().read(key)?.wholeVersion == 2)
    }

    @Test func `writes that come between the reading of payload and sidecar lose no metadata`() async throws {
        let writer = newSource()
        let key = key
        try await writer.write(.version(1), for: key)
        let countdown = Countdown(2)
        let reader = newSource { step throws(SystemFailure) in
            guard step == .readSidecar, countdown.isOneOfTheFirst() else { return }
            // The hook stays on its thread, and the writes have others.
            let written = DispatchSemaphore(value: 0)
            Task {
                for version in [2, 3] { try? await writer.write(.version(version), for: key) }
                written.signal()
            }
            written.wait()
        }

        #expect(try await reader.read(key)?.wholeVersion == 3)
    }

    @Test(arguments: [Duration.seconds(-7_200), .seconds(7_200)])
    func `a process whose wall clock was wrong and is corrected shares copies with the others`(error: Duration) async throws {
        let late = ManualClock(wall: time.now + error)
        let started = FileSource(path: folder.template("{key}.json"), clock: late.clock)
        late.stepWall(by: .zero - error)
        let (now, lateNow) = (time.now, late.now)

        try await newSource().write(Entry([1], created: now, stored: now, freshUntil: now + .seconds(60)), for: key)
        let read = try #require(try await started.read(key))
        #expect(read.created == lateNow && read.freshUntil == lateNow + .seconds(60))
        #expect(read.isWithinLimit(at: lateNow))

        try await started.write(Entry([2], created: lateNow, stored: lateNow, freshUntil: lateNow + .seconds(60)), for: key)
        #expect(try await newSource().read(key) == Entry([2], created: now, stored: now, freshUntil: now + .seconds(60)))
    }

    @Test func `what is in the sidecar may be any number`() async throws {
        let extremes: [Int64] = [.min, -1, 0, .max]
        for created in extremes {
            for stored in extremes {
                let entry = Entry(
                    [1], created: Timestamp(nanoseconds: created), stored: Timestamp(nanoseconds: stored),
                    freshUntil: Timestamp(nanoseconds: .max - 1))
                time.stepWall(by: .seconds(7_200))
                try await newSource().write(entry, for: key)
                time.stepWall(by: .seconds(-14_400))
                #expect(try await newSource().read(key)?.payload == [1])
            }
        }
    }
}

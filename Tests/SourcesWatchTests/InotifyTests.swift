#if os(Linux)
import Dispatch
import Glibc
import Testing

@testable import SourcesWatch

/// The one instance that all watched files share.
@Suite(.timeLimit(.minutes(15))) struct InotifyTests {
    @Test func `it is open while a file is watched`() throws {
        let inotify = Inotify()
        let (one, other) = (inotify.join {}, inotify.join {})
        #expect(!inotify.isOpen)

        inotify.add(.entry("a", in: "/"), for: one)
        inotify.add(.entry("b", in: "/"), for: other)
        #expect(inotify.isOpen)

        inotify.leave(one)
        #expect(inotify.isOpen)
        inotify.leave(other)
        #expect(!inotify.isOpen)
        inotify.add(.entry("a", in: "/"), for: one)
        #expect(!inotify.isOpen)
    }

    @Test func `a folder is watched as long as one file needs it`() async throws {
        let folder = try TemporaryFolder()
        let inotify = Inotify()
        let (heard, hears) = AsyncStream.makeStream(of: String.self)
        let one = inotify.join { hears.yield("one") }
        let other = inotify.join { hears.yield("other") }
        for member in [one, other] {
            inotify.add(.entry("a", in: folder.path), for: member)
            inotify.finishRound(of: member)
        }

        // A round without the folder.
        inotify.finishRound(of: one)
        try folder.put("1", into: "a")
        var next = heard.makeAsyncIterator()
        #expect(await next.next() == "other")

        inotify.add(.entry("b", in: folder.path), for: one)
        inotify.leave(other)
        try folder.put("1", into: "a2")
        try folder.put("1", into: "b")
        // What comes late is of no interest.
        while let name = await next.next(), name != "one" {}
        inotify.leave(one)
    }

    @Test func `when the system loses reports, every file is looked at`() async throws {
        let (busy, quiet) = (try TemporaryFolder(), try TemporaryFolder())
        let inotify = Inotify()
        let (held, holds) = AsyncStream.makeStream(of: Void.self)
        let (heard, hears) = AsyncStream.makeStream(of: Void.self)
        let gate = DispatchSemaphore(value: 0)
        let slow = inotify.join {
            holds.finish()
            gate.wait()
            gate.signal()
        }
        let other = inotify.join { hears.finish() }
        inotify.add(.entry("a", in: busy.path), for: slow)
        inotify.add(.entry("a", in: quiet.path), for: other)

        // Holds the reading up, then makes more reports than the system keeps: 16,384, unless it is set up otherwise.
        try busy.put("1", into: "a")
        try busy.put("1", into: "b")
        for await _ in held {}
        for _ in 0..<10_000 {
            chmod(busy.path + "/a", 0o600)
            chmod(busy.path + "/b", 0o600)
        }
        gate.signal()

        for await _ in heard {}
        inotify.leave(slow)
        inotify.leave(other)
    }
}
#endif

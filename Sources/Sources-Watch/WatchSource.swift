public import Pipeline
public import PipelineConfig
public import PipelineLive
internal import Synchronization

/// A change source that tells when the content of a file changes, whichever way it is saved.
///
/// The system reports what happens to the file and to the folders and links on the way to it. The file is also looked at every 2 s, for changes
/// that the system does not report: on network file systems, through memory maps, and where it has no more watches to give.
public struct WatchSource: LiveSource {
    /// The longest path that every system takes.
    private static let longestPath = 1000

    private let path: PathTemplate
    private let clock: PipelineClock
    private let timing: WatchTiming
    private let listens: Bool

    /// Watches the file that `path` gives for each key.
    public init(path: PathTemplate, clock: PipelineClock = .system) {
        self.init(path: path, clock: clock, timing: WatchTiming())
    }

    /// - Parameter listens: whether the system's reports are used; false only looks.
    init(path: PathTemplate, clock: PipelineClock, timing: WatchTiming, listens: Bool = true) {
        self.path = path
        self.clock = clock
        self.timing = timing
        self.listens = listens
    }

    /// The path of the file.
    public func channel(for key: Key) throws -> String {
        let path = path.filled(for: key)
        // The system would take what stands before it for the whole path.
        guard !path.utf8.contains(0) else { throw SourceError("cannot watch a path with a NUL in it") }
        guard path.utf8.count <= Self.longestPath else {
            throw SourceError("cannot watch \(path.prefix(200))…: the path has more than \(Self.longestPath) bytes")
        }
        return path
    }

    /// Tells of every change of the content until the task is cancelled.
    public func listen(for key: Key, to listener: LiveListener) async throws -> LiveEnding {
        let permit = try DescriptorBudget.process.take(for: .feed)
        defer { permit.giveBack() }
        let bell = Bell(clock)
        let file = WatchedFile(try channel(for: key), PathWatch(listens ? bell.ring : nil))
        defer { file.close() }
        // What changes after this first look is seen, and so is what changes while it runs.
        var state = WatchState(seeing: try await file.look(.content), at: clock.now, timing)
        listener.begin()
        while true {
            switch state.step(at: clock.now) {
            case .wait(let end):
                try await bell.wait(until: end)
                if let moment = bell.take() { state.notice(at: moment) }
            case .settle(let end):
                try await clock.sleep(until: end)
                if let moment = bell.take() { state.notice(at: moment) }
            case .look(let depth):
                let sight = try await file.look(depth)
                if state.sees(sight, at: clock.now) { listener.receive(.signal) }
            }
        }
    }

    /// Looks for the file, unless its path depends on the key. One that is missing can still come.
    public func check() async throws -> Reachability {
        guard path.isConstant else { return .untried("its path depends on a parameter") }
        let file = WatchedFile(try channel(for: Key(pipeline: "check")), PathWatch(nil))
        guard case .file = try await file.look(.identity) else { return .limited("there is no file to read there yet") }
        return .reachable
    }
}

extension SourcePlugin {
    /// The plugin behind `type: watch`.
    public static let watch = SourcePlugin(
        live: "watch", summary: "Reports when a file changes.", capabilities: [.signalsOnly],
        fields: Field<PathTemplate>(
            "path", "The file to watch, with the parameters of the key. It and its folders need not exist yet.", example: "friends.json")
    ) { context, path in
        WatchSource(path: path, clock: context.clock)
    }
}

/// Wakes the one task that waits for reports.
final class Bell: Sendable {
    private struct State {
        var rung: Timestamp?
        var waiter: Race<Void>?
    }

    private let clock: PipelineClock
    private let state = Mutex(State())

    init(_ clock: PipelineClock) {
        self.clock = clock
    }

    /// Notes that something was reported.
    func ring() {
        let now = clock.now
        let waiter = state.withLock { state in
            state.rung = now
            return state.waiter.take()
        }
        waiter?.finish(.success(()))
    }

    /// The moment when it rang last since the last call; nil if it did not.
    func take() -> Timestamp? {
        state.withLock { $0.rung.take() }
    }

    /// Returns when it has rung since the last ``take()``, or at `end`.
    func wait(until end: Timestamp) async throws {
        let waiter = Race<Void>()
        let hasRung = state.withLock { state in
            state.waiter = waiter
            return state.rung != nil
        }
        if hasRung { return }
        do {
            try await waiter.value(until: end, on: clock)
        } catch is PastLimit {
            return
        }
    }
}

internal import Dispatch
internal import Pipeline

/// Looks at one file, and has the system report what happens on the way to it.
final class WatchedFile: Sendable {
    /// Threads besides those of tasks: a file system may hang. They are few, whatever the number of files, and end when there is nothing to do.
    private static let queues = (0..<4).map { DispatchQueue(label: "pipe-run.watch.\($0)") }

    private let path: String
    private let watch: PathWatch

    init(_ path: String, _ watch: PathWatch) {
        self.path = path
        self.watch = watch
    }

    /// Looks. A look that hangs in the system is left alone when the task is cancelled.
    func look(_ depth: WatchState.Depth) async throws -> Sight {
        let race = Race<Sight>()
        let number = Int(UInt(bitPattern: path.hashValue) % UInt(Self.queues.count))
        Self.queues[number].async { race.finish(.success(self.lookNow(depth))) }
        return try await race.value()
    }

    /// Ends the reports.
    func close() { watch.close() }

    private func lookNow(_ depth: WatchState.Depth) -> Sight {
        // Each place is watched before it is looked at: what changes in between is reported, and what changed before is seen.
        let file = PathWalk.file(at: path) { watch.add($0) }
        watch.finishRound()
        guard let file else { return .absent }
        return FileSystem.sight(of: file, depth)
    }
}

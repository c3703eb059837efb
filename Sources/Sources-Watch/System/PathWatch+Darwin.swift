#if canImport(Darwin)
private import Darwin
@preconcurrency internal import Dispatch
internal import Pipeline
internal import Synchronization

/// The system's reports about the places on the way to one file, through kqueue.
///
/// A look adds each place on its way, and then finishes the round: places of earlier rounds that it did not add are watched no longer.
final class PathWatch: Sendable {
    /// A folder or file that is open to be watched.
    private struct Watch {
        let identity: VnodeIdentity
        let source: any DispatchSourceFileSystemObject
    }

    private struct State {
        var watches: [String: Watch] = [:]
        var added: Set<String> = []
        var isClosed = false
    }

    private let ring: (@Sendable () -> Void)?
    private let queue = DispatchQueue(label: "pipe-run.kqueue")
    private let state = Mutex(State())

    /// - Parameter ring: called for each report, on any thread; nil to have none.
    init(_ ring: (@Sendable () -> Void)?) {
        self.ring = ring
    }

    /// Watches `place` too. Where the system cannot, nothing is reported for it.
    func add(_ place: WatchedPlace) {
        guard let ring else { return }
        let path = place.path
        let known = state.withLock { $0.watches[path]?.identity }
        if let known, VnodeIdentity(at: path) == known {
            state.withLock { _ = $0.added.insert(path) }
            return
        }
        let descriptor = open(path, O_EVTONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return }
        let source = DispatchSource.makeFileSystemObjectSource(
            fileDescriptor: descriptor, eventMask: [.write, .extend, .attrib, .delete, .rename, .revoke], queue: queue)
        source.setEventHandler { ring() }
        // The method of this type stands before the system's function.
        source.setCancelHandler { Darwin.close(descriptor) }
        source.activate()
        guard let identity = VnodeIdentity(of: descriptor) else { return source.cancel() }
        let outdated = state.withLock { state -> (any DispatchSourceFileSystemObject)? in
            guard !state.isClosed else { return source }
            state.added.insert(path)
            return state.watches.updateValue(Watch(identity: identity, source: source), forKey: path)?.source
        }
        outdated?.cancel()
    }

    /// Ends the watches of places that were not added since the last round.
    func finishRound() {
        let ended = state.withLock { state in
            let ended = state.watches.filter { !state.added.contains($0.key) }
            for path in ended.keys { state.watches[path] = nil }
            state.added = []
            return ended.values.map(\.source)
        }
        for source in ended { source.cancel() }
    }

    /// Ends all watches, for good.
    func close() {
        let ended = state.withLock { state in
            state.isClosed = true
            defer { state.watches = [:] }
            return state.watches.values.map(\.source)
        }
        for source in ended { source.cancel() }
    }
}

/// Tells one folder or file from another that took its place.
private struct VnodeIdentity: Equatable {
    let device: dev_t
    let inode: ino_t

    init?(at path: String) {
        var raw = stat()
        guard lstat(path, &raw) == 0 else { return nil }
        (device, inode) = (raw.st_dev, raw.st_ino)
    }

    init?(of descriptor: Int32) {
        var raw = stat()
        guard fstat(descriptor, &raw) == 0 else { return nil }
        (device, inode) = (raw.st_dev, raw.st_ino)
    }
}
#endif

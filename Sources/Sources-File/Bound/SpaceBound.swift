internal import Pipeline
internal import Synchronization

/// Keeps the copies of one source within a number and a size: the least recently used go.
///
/// Only files that this plugin wrote, for keys of this source's template, are counted and go; sidecars are not
/// counted. What other processes write meanwhile is not seen: each keeps the bound over what it found when it first wrote and what
/// it wrote itself. The order survives a restart in the files' times of last use.
final class SpaceBound: Sendable {
    /// A copy that was there before this process first wrote.
    struct Found {
        let path: String
        let size: Int
        let lastUse: Int64
    }

    let maxEntries: Int
    let maxBytes: Size
    private let list = Mutex(RecencyList())
    /// Held while the folders are looked through, so that this happens once; only threads that may wait come here.
    private let isFilled = Mutex(false)

    /// Nil when there is nothing to keep within.
    init?(maxEntries: Int?, maxBytes: Size?) {
        guard maxEntries != nil || maxBytes != nil else { return nil }
        self.maxEntries = maxEntries ?? .max
        self.maxBytes = maxBytes ?? Size(bytes: .max)
    }

    /// Whether a payload of `size` bytes could stay, if it were alone.
    func admits(_ size: Int) -> Bool { maxEntries > 0 && size <= maxBytes.bytes }

    /// Takes in what is there, the first time that it is called.
    func fillOnce(_ findings: () throws -> [Found]) rethrows {
        try isFilled.withLock { isFilled in
            guard !isFilled else { return }
            let found = try findings().sorted { $0.lastUse > $1.lastUse }
            list.withLock { list in
                for copy in found { list.addOldest(copy.path, size: copy.size) }
            }
            isFilled = true
        }
    }

    /// Notes that `path` was written.
    func wrote(_ path: String, size: Int) {
        list.withLock { $0.use(path, size: size) }
    }

    /// Notes that `path` was read; nothing when it is not counted.
    func read(_ path: String, size: Int) {
        list.withLock { list in
            if list.contains(path) { list.use(path, size: size) }
        }
    }

    /// Notes that `path` is gone.
    func forget(_ path: String) {
        list.withLock { $0.remove(path) }
    }

    func contains(_ path: String) -> Bool {
        list.withLock { $0.contains(path) }
    }

    /// Forgets copies, the least recently used first, until the rest is within the bound; the last one written stays.
    func takeExcess() -> [String] {
        list.withLock { list in
            var excess: [String] = []
            while list.count > 1, list.count > maxEntries || list.bytes > maxBytes.bytes, let path = list.first {
                list.remove(path)
                excess.append(path)
            }
            return excess
        }
    }
}

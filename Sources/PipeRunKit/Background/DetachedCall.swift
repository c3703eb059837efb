#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// A call of this program in a process of its own, which reads from standard input what it is for: no other user sees that.
struct DetachedCall {
    /// The lock of the work, held by this process.
    let lock: KeyLock
    /// The words that ``start(_:_:for:lockedBy:)`` was given.
    let words: [String]

    /// Starts the process of `command`, unless there is one whose lock `parts` name. False when it cannot be started: then the work is this
    /// process's own.
    ///
    /// - Parameter seconds: the time after which the process is ended, even if it hangs.
    static func start(_ command: String, _ words: [String], for seconds: Int64, lockedBy parts: [String]) -> Bool {
        guard !words.contains(where: { $0.utf8.contains(0) }) else { return false }
        switch KeyLock.take(parts) {
        case .busy: return true
        case .impossible: return false
        case .taken(let lock):
            let input = (["\(min(seconds, Int64(Int32.max)))", lock.path] + words).joined(separator: "\0")
            guard DetachedProcess.start(command, input: Array(input.utf8), lock: lock) else {
                lock.release()
                return false
            }
            return true
        }
    }

    /// Reads in the new process what it is for, and lets its time begin. Nil if a person has started it.
    static func read() throws -> DetachedCall? {
        let words = try StandardInput.read().split(separator: 0, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard words.count > 2, let seconds = UInt32(words[0]) else { return nil }
        alarm(seconds)
        Console.giveUpInput()
        return DetachedCall(
            lock: KeyLock(descriptor: DetachedProcess.lockDescriptor, path: words[1]), words: Array(words[2...]))
    }

    /// The absolute path of the file at `path`; nil for one that another process does not find there, too.
    static func readableAgain(_ path: String) -> String? {
        var status = stat()
        guard path != "-", stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, let resolved = realpath(path, nil) else {
            return nil
        }
        defer { free(resolved) }
        // `/dev/fd/3` is another file there, or none.
        return ["/dev/", "/proc/"].contains { path.hasPrefix($0) } ? nil : String(cString: resolved)
    }
}

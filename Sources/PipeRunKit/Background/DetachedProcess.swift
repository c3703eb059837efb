#if canImport(Darwin)
@preconcurrency private import Darwin
#elseif canImport(Musl)
@preconcurrency private import Musl
#else
@preconcurrency private import Glibc
#endif

/// A process in a session of its own that runs this program once more, and holds none of this process's descriptors.
enum DetachedProcess {
    /// The lock's descriptor in the new process.
    static let lockDescriptor: Int32 = 3

    /// Starts it with `argument` alone on its command line, which every user can see. `input` is what it reads from standard input.
    ///
    /// False when it cannot be started.
    static func start(_ argument: String, input: [UInt8], lock: KeyLock) -> Bool {
        var ends: [Int32] = [-1, -1]
        guard let path = executable, pipe(&ends) == 0 else { return false }
        defer { for end in ends where end >= 0 { close(end) } }
        // Above the numbers that they get there.
        for index in ends.indices {
            let moved = fcntl(ends[index], F_DUPFD_CLOEXEC, 10)
            close(ends[index])
            ends[index] = moved
        }
        let held = fcntl(lock.descriptor, F_DUPFD_CLOEXEC, 10)
        defer { if held >= 0 { close(held) } }
        guard !ends.contains(-1), held >= 0 else { return false }
        keepDescriptors()
        guard spawn(path, argument, input: ends[0], lock: held) else { return false }
        close(ends[0])
        ends[0] = -1
        return NewFile.write(input, to: ends[1])
    }

    /// Keeps descriptors that a shell left open from the new process: there they would stay open as long as it runs.
    private static func keepDescriptors() {
        guard let folder = opendir("/dev/fd") else { return }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if let descriptor = Int32(name), descriptor > 2 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        }
    }

    /// `POSIX_SPAWN_SETSID`, which glibc and musl declare only as a macro that needs `_GNU_SOURCE`.
    private static var sessionFlag: Int16 {
        #if canImport(Darwin)
        Int16(POSIX_SPAWN_SETSID)
        #else
        0x80
        #endif
    }

    private static func spawn(_ path: String, _ argument: String, input: Int32, lock: Int32) -> Bool {
        #if canImport(Darwin)
        var (actions, attributes): (posix_spawn_file_actions_t?, posix_spawnattr_t?)
        #else
        var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
        #endif
        guard posix_spawn_file_actions_init(&actions) == 0 else { return false }
        defer { posix_spawn_file_actions_destroy(&actions) }
        guard posix_spawnattr_init(&attributes) == 0 else { return false }
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, lock, lockDescriptor)
        // What this process ignores, the new one would ignore, too.
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGINT, SIGTERM, SIGALRM] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF) | sessionFlag)
        var words = [strdup(Program.name), strdup(argument), nil]
        defer { for word in words { free(word) } }
        var child = pid_t()
        return posix_spawn(&child, path, &actions, &attributes, &words, environ) == 0
    }

    /// The path of this program, on Linux also after its file was replaced.
    private static var executable: String? {
        #if canImport(Darwin)
        var length: UInt32 = 0
        _NSGetExecutablePath(nil, &length)
        var bytes = [CChar](repeating: 0, count: Int(length) + 1)
        guard _NSGetExecutablePath(&bytes, &length) == 0 else { return nil }
        return bytes.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
        #else
        return "/proc/self/exe"
        #endif
    }
}

internal import PipelineReports

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif
internal import Pipeline

/// A lock that one process of a user holds at a time. It is free again when that process, and a child that got the descriptor, have
/// ended, in whatever way.
struct KeyLock {
    enum Attempt {
        case taken(KeyLock)
        /// A lock that another process holds.
        case busy
        /// No place for the file.
        case impossible
    }

    let descriptor: Int32
    let path: String

    /// Takes the lock of what `parts` name, unless another process holds it. Does not wait.
    static func take(_ parts: [String]) -> Attempt {
        guard let folder = folder() else { return .impossible }
        let path = folder + "/" + String(Fingerprints.hash(parts), radix: 16)
        // A file that its last holder removes between the two steps is no lock any more.
        for _ in 0..<10 {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { return .impossible }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let isBusy = errno == EWOULDBLOCK
                close(descriptor)
                return isBusy ? .busy : .impossible
            }
            if isFile(descriptor, at: path) { return .taken(KeyLock(descriptor: descriptor, path: path)) }
            close(descriptor)
        }
        return .impossible
    }

    /// Removes the file, and gives the lock back.
    func release() {
        unlink(path)
        close(descriptor)
    }

    private static func isFile(_ descriptor: Int32, at path: String) -> Bool {
        var (held, named) = (stat(), stat())
        return fstat(descriptor, &held) == 0 && lstat(path, &named) == 0 && held.st_ino == named.st_ino && held.st_dev == named.st_dev
    }

    /// A folder that only this user can change; nil if there is none.
    private static func folder() -> String? {
        let named: [String] = ["XDG_RUNTIME_DIR", "TMPDIR"].compactMap { (name: String) in getenv(name).map { String(cString: $0) } }
        let roots = named.filter { $0.hasPrefix("/") }
        for root in roots + ["/tmp"] {
            let path = "\(root)/pipe-run-\(getuid())"
            var status = stat()
            guard mkdir(path, 0o700) == 0 || errno == EEXIST, lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
                status.st_uid == getuid(), status.st_mode & 0o022 == 0
            else { continue }
            return path
        }
        return nil
    }
}

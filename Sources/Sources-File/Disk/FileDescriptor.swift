#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// An open file or folder, closed when this value ends.
struct FileDescriptor: ~Copyable, Sendable {
    let number: Int32

    /// Opens the file at `path` for reading or writing; no child process gets it.
    init(opening path: String, _ flags: Int32) throws(SystemFailure) {
        if Place.isShort(path) {
            self = try FileDescriptor(opening: path, from: AT_FDCWD, flags)
        } else {
            let place = try Place(path)
            self = try FileDescriptor(opening: place.path, from: place.start, flags)
        }
    }

    /// Opens the file at `path` from an open folder on. A file that is made is its owner's alone.
    init(opening path: String, from folder: Int32, _ flags: Int32) throws(SystemFailure) {
        // Passing the string itself would copy it each time.
        let result = path.withCString { path in
            Result { () throws(SystemFailure) in try Self.uninterrupted { openat(folder, path, flags | O_CLOEXEC, 0o600) } }
        }
        number = try result.get()
    }

    deinit {
        close(number)
    }

    private static func uninterrupted(_ call: () -> Int32) throws(SystemFailure) -> Int32 {
        while true {
            let result = call()
            if result >= 0 { return result }
            let failure = SystemFailure.last
            guard failure.code == EINTR else { throw failure }
        }
    }

    /// Waits until the disk has what was written.
    func synchronize() throws(SystemFailure) {
        let number = number
        #if canImport(Darwin)
        // fsync alone leaves the bytes in the drive's cache there.
        if fcntl(number, F_FULLFSYNC) == 0 { return }
        #endif
        _ = try Self.uninterrupted { fsync(number) }
    }

    /// Sets the times of last use and of last change.
    func setTimes(to nanoseconds: Int64) throws(SystemFailure) {
        let time = timespec(flooring: nanoseconds)
        guard futimens(number, [time, time]) == 0 else { throw .last }
    }

    /// Gives the file these permissions, whatever the umask says.
    func setMode(_ mode: FileMode) throws(SystemFailure) {
        guard fchmod(number, mode.ofFiles) == 0 else { throw .last }
    }

    /// Indicates whether the file has no name any more.
    func isUnlinked() throws(SystemFailure) -> Bool {
        var raw = stat()
        guard fstat(number, &raw) == 0 else { throw .last }
        return raw.st_nlink == 0
    }
}

/// The end of an attempt to lock a file.
enum LockResult {
    case locked
    case heldByAnother
    /// The file system has no such locks.
    case unsupported
}

extension FileDescriptor {
    /// Takes the file's lock for this descriptor alone, without waiting. The lock ends with the descriptor, however the process ends.
    func lock() -> LockResult {
        while flock(number, LOCK_EX | LOCK_NB) != 0 {
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK: return .heldByAnother
            default: return .unsupported
            }
        }
        return .locked
    }

    /// Releases the lock before the descriptor ends.
    func unlock() {
        _ = flock(number, LOCK_UN)
    }
}

/// The most bytes for one call; Darwin refuses more than 2 GiB.
private let mostAtOnce = 1 << 30

extension FileDescriptor {
    /// Reads to the end; nil if that does not come after exactly `count` bytes.
    ///
    /// Reads one byte more, so that all of a file takes one call.
    func contents(expecting count: Int) throws(SystemFailure) -> [UInt8]? {
        var failure: SystemFailure?
        let bytes = [UInt8](unsafeUninitializedCapacity: count + 1) { buffer, filled in
            guard let start = buffer.baseAddress else { return }
            while filled <= count {
                let length = read(number, start + filled, min(count + 1 - filled, mostAtOnce))
                if length < 0 {
                    if errno == EINTR { continue }
                    failure = .last
                    return
                }
                filled += length
                if length == 0 || filled == count { return }
            }
        }
        if let failure { throw failure }
        return bytes.count == count ? bytes : nil
    }

    /// Writes all of `bytes`.
    func append(_ bytes: ArraySlice<UInt8>) throws(SystemFailure) {
        var failure: SystemFailure?
        bytes.withUnsafeBytes { buffer in
            guard let start = buffer.baseAddress else { return }
            var written = 0
            while written < buffer.count {
                let length = write(number, start + written, min(buffer.count - written, mostAtOnce))
                if length < 0 {
                    if errno == EINTR { continue }
                    failure = .last
                    return
                }
                written += length
            }
        }
        if let failure { throw failure }
    }
}

extension timespec {
    fileprivate init(flooring nanoseconds: Int64) {
        let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let seconds = remainder < 0 ? quotient - 1 : quotient
        self.init(tv_sec: .init(seconds), tv_nsec: .init(remainder < 0 ? remainder + 1_000_000_000 : remainder))
    }
}

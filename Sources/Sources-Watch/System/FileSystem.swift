#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// The questions to the system about files.
enum FileSystem {
    /// The kind of file that stands under a name.
    enum Kind {
        case regular, folder
        case link(to: String)
        /// No file, or none that a file is reached through.
        case other
    }

    /// The size of the largest file whose content is compared; of a larger one only the identity is.
    private static let mostRead = 64 << 20
    private static let chunk = 256 << 10

    /// The folder that relative paths start from.
    static var workingFolder: String {
        guard let path = getcwd(nil, 0) else { return "." }
        defer { free(path) }
        return String(cString: path)
    }

    /// The kind of file at `path`; a link is not followed.
    static func kind(of path: String) -> Kind {
        var raw = stat()
        guard lstat(path, &raw) == 0 else { return .other }
        switch raw.st_mode & mode_t(S_IFMT) {
        case mode_t(S_IFREG): return .regular
        case mode_t(S_IFDIR): return .folder
        case mode_t(S_IFLNK): return target(of: path).map { .link(to: $0) } ?? .other
        default: return .other
        }
    }

    private static func target(of link: String) -> String? {
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            if let start = buffer.baseAddress { count = max(0, readlink(link, start, buffer.count)) }
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// The present state of the file at `path`. Anything but a regular file is absent, and so is one that cannot be read.
    static func sight(of path: String, _ depth: WatchState.Depth) -> Sight {
        // A FIFO that has come there meanwhile would block.
        let file = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { return .absent }
        defer { close(file) }
        guard let before = identity(of: file) else { return .absent }
        if depth == .identity { return .file(before, content: nil) }
        // Its identity in place of its content: then each write is a change.
        guard before.size <= mostRead else { return .file(before, content: before.hashValue) }
        guard let content = checksum(of: file) else { return .absent }
        return identity(of: file) == before ? .file(before, content: content) : .changing
    }

    private static func identity(of file: Int32) -> FileIdentity? {
        var raw = stat()
        guard fstat(file, &raw) == 0, raw.st_mode & mode_t(S_IFMT) == mode_t(S_IFREG) else { return nil }
        #if canImport(Darwin)
        let (modified, changed) = (raw.st_mtimespec, raw.st_ctimespec)
        #else
        let (modified, changed) = (raw.st_mtim, raw.st_ctim)
        #endif
        return FileIdentity(
            device: UInt64(truncatingIfNeeded: raw.st_dev), inode: UInt64(truncatingIfNeeded: raw.st_ino), size: Int(clamping: raw.st_size),
            modified: nanoseconds(modified), changed: nanoseconds(changed))
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    /// A checksum of what follows in the file, the same within this process for the same bytes. Reads no more than ``mostRead``, also of a file
    /// that grows. Nil if it cannot be read.
    private static func checksum(of file: Int32) -> Int? {
        withUnsafeTemporaryAllocation(byteCount: chunk, alignment: 16) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            var hasher = Hasher()
            var total = 0
            while total <= mostRead {
                let count = read(file, start, buffer.count)
                if count == 0 { break }
                if count < 0 {
                    if errno == EINTR { continue }
                    return nil
                }
                total += count
                hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
            return hasher.finalize()
        }
    }
}

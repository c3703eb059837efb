internal import Pipeline
#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// The questions to the system about a database's file besides SQLite's own.
///
/// It never opens the file: closing it again would drop the locks that SQLite holds.
struct DiskFile: Sendable {
    /// Tells a file from another that later has its name.
    struct Identity: Sendable, Equatable {
        fileprivate let device: UInt64
        fileprivate let number: UInt64
    }

    let path: String

    /// The folder that the file lies in.
    var folder: String { Self.parent(of: path) }

    /// The identity of the file that has the name; nil if none has.
    func identity() throws -> Identity? {
        guard let status = try Self.status(of: path) else { return nil }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SourceError.cannot("use", path, because: status.st_mode & S_IFMT == S_IFDIR ? "it is a folder" : "it is not a file")
        }
        return Identity(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
    }

    /// Makes an empty file that only its owner can read and write, which is a new database to SQLite. What cannot be made is left to
    /// SQLite, and so is a file that is there already: a file that this call made has no locks.
    ///
    /// - Parameter onDisk: whether to return only when the disk has its name.
    func make(onDisk: Bool = false) {
        let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        if descriptor >= 0 { _ = close(descriptor) }
        if onDisk { Self.flush(folder) }
    }

    /// Makes the folder, and those above it, for their owner alone, where they are missing.
    ///
    /// - Parameter onDisk: whether to return only when the disk has them.
    func makeFolder(onDisk: Bool = false) throws { try Self.makeFolder(folder, onDisk: onDisk) }

    /// Does `body` while no other process, and no other source, does the same with a file in this folder. Throws if `wait` ended before that.
    func locked<Value>(waiting wait: BusyWait, _ body: () throws -> Value) throws -> Value {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SourceError.cannot("use", folder, because: Self.words(errno)) }
        defer { _ = close(descriptor) }
        // A file system without such locks goes without.
        var count = 0
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK || errno == EINTR {
            guard wait.goesOn(after: count) else {
                throw SourceError("cannot open \(path): another process has been opening it for \(wait.words)", kind: .timeout)
            }
            count += 1
        }
        return try body()
    }

    /// Gives the file the name `name`; nothing where there is none. Throws for what is no regular file.
    func rename(to name: String) throws {
        guard try identity() != nil else { return }
        #if canImport(Darwin)
        let result = Darwin.rename(path, name)
        #elseif canImport(Musl)
        let result = Musl.rename(path, name)
        #else
        let result = Glibc.rename(path, name)
        #endif
        guard result == 0 || errno == ENOENT else { throw SourceError.cannot("set aside", path, because: Self.words(errno)) }
    }

    /// Throws if the process may not do with the file, or with the nearest folder that is there, what a cache does.
    func expectAccess() throws {
        let folder = try nearestFolder()
        guard access(folder, W_OK | X_OK) == 0 else { throw SourceError.cannot("write into", folder, because: Self.words(errno)) }
        guard try identity() != nil else {
            guard try !isOfSystem() else { throw SourceError.cannot("make", path, because: "the system alone makes files there") }
            return
        }
        guard access(path, R_OK | W_OK) == 0 else { throw SourceError.cannot("write", path, because: Self.words(errno)) }
    }

    /// Indicates whether the file system says that it has room for nothing. Some that have room say so, too: only making something tells.
    func isWithoutRoom() throws -> Bool {
        var room = statvfs()
        return try statvfs(nearestFolder(), &room) == 0 && room.f_blocks == 0
    }

    /// Indicates whether the system makes all that is where the file would be, as in `/proc`, where root may write and yet can make nothing.
    private func isOfSystem() throws -> Bool {
        guard try isWithoutRoom(), let device = try Self.status(of: nearestFolder())?.st_dev else { return false }
        return try ["/proc", "/sys"].contains { try Self.status(of: $0)?.st_dev == device }
    }

    /// Throws if the process may not read the file.
    func expectReadable() throws {
        guard access(path, R_OK) == 0 else { throw SourceError.cannot("read", path, because: Self.words(errno)) }
    }

    /// The reason why the system does not let the process open it, or write the log that SQLite keeps beside it: SQLite does not tell. Nil
    /// if it does.
    var refusal: String? {
        if access(path, R_OK) != 0 { return Self.words(errno) }
        return access(folder, W_OK | X_OK) == 0 ? nil : "nothing can be written beside it: \(Self.words(errno))"
    }

    /// The folder, or the nearest one above it that is there.
    private func nearestFolder() throws -> String {
        var folder = folder
        var found = try Self.status(of: folder)
        while found == nil, Self.parent(of: folder) != folder {
            try Self.expectNoLink(folder)
            folder = Self.parent(of: folder)
            found = try Self.status(of: folder)
        }
        guard let found, found.st_mode & S_IFMT == S_IFDIR else { throw SourceError.cannot("use", folder, because: "it is not a folder") }
        return folder
    }

    private static func makeFolder(_ folder: String, onDisk: Bool) throws {
        if let status = try status(of: folder) {
            guard status.st_mode & S_IFMT == S_IFDIR else { throw SourceError.cannot("use", folder, because: "it is not a folder") }
            return
        }
        try expectNoLink(folder)
        let parent = parent(of: folder)
        try makeFolder(parent, onDisk: onDisk)
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw SourceError.cannot("make", folder, because: words(errno)) }
        if onDisk { flush(parent) }
    }

    /// Throws for a link to what is not there: no folder can be made in its place.
    private static func expectNoLink(_ folder: String) throws {
        var status = stat()
        guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return }
        throw SourceError.cannot("make", folder, because: "a link of this name leads nowhere")
    }

    /// Returns when the disk has the names of what was made in a folder. A file system that cannot say so goes without.
    private static func flush(_ folder: String) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = fsync(descriptor)
        _ = close(descriptor)
    }

    /// The status of a file; nil if nothing has the name.
    private static func status(of path: String) throws -> stat? {
        var status = stat()
        if stat(path, &status) == 0 { return status }
        guard errno == ENOENT else { throw SourceError.cannot("use", path, because: words(errno)) }
        return nil
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The system's words for an error, as `permission denied`.
    private static func words(_ code: Int32) -> String {
        guard let text = strerror(code) else { return "error \(code)" }
        let words = String(cString: text)
        return words.prefix(1).lowercased() + words.dropFirst()
    }
}

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// An open folder, and what is done to the names in it.
///
/// Its lock lets one process at a time change which payload and which sidecar go together. It is the lock of the folder
/// itself, so that it leaves no file behind, and the system takes it back when a process dies.
final class Folder: Sendable {
    let path: String
    let descriptor: FileDescriptor

    /// Opens the folder at `path`; a symbolic link to one will do.
    init(_ path: String) throws(SystemFailure) {
        self.path = path
        descriptor = try FileDescriptor(opening: path, O_RDONLY | O_DIRECTORY)
    }

    /// Opens the folder `name` in `parent`, and not what a symbolic link of that name leads to.
    init(_ name: String, in parent: Folder) throws(SystemFailure) {
        path = parent.path + "/" + name
        descriptor = try FileDescriptor(opening: name, from: parent.descriptor.number, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    }

    /// Does `body` while no other process and no other thread does the same in this folder; returns nil, and does nothing, when one does.
    ///
    /// A file system without such locks (some network file systems) goes without: values stay complete there, too, but of two processes
    /// that write one key at the same moment, the later one's limit may be lost.
    func locked<Value>(_ body: () throws -> Value) rethrows -> Value? {
        let result = descriptor.lock()
        if result == .heldByAnother { return nil }
        defer { if result == .locked { descriptor.unlock() } }
        return try body()
    }

    /// The identity of the folder.
    func identity() throws(SystemFailure) -> FolderIdentity {
        let status = try FileStatus(of: descriptor)
        return FolderIdentity(device: status.device, inode: status.inode)
    }

    /// The kind of file that has the name `name`, a link itself and not what it leads to; nil if nothing has.
    func kind(of name: String) throws(SystemFailure) -> FileStatus.Kind? {
        do {
            return try FileStatus(of: name, in: self).kind
        } catch {
            guard error.isMissing else { throw error }
            return nil
        }
    }

    /// Unlinks the file `name`; false when there is none.
    func removeFile(_ name: String) throws(SystemFailure) -> Bool {
        if unlinkat(descriptor.number, name, 0) == 0 { return true }
        let failure = SystemFailure.last
        guard failure.isMissing else { throw failure }
        return false
    }

    /// Removes the folder `name` if nothing is in it.
    func removeFolderIfEmpty(_ name: String) -> Bool {
        unlinkat(descriptor.number, name, AT_REMOVEDIR) == 0
    }

    /// Opens the folder at `path`, and makes it and those above it where they are missing.
    ///
    /// - Parameters:
    ///   - mode: what new ones are given.
    ///   - isDurable: whether each new name is on the disk before this returns.
    static func making(_ path: String, mode: FileMode, isDurable: Bool) throws(SystemFailure) -> Folder {
        // Between making and opening, another process can prune it again.
        for _ in 0..<8 {
            do {
                return try Folder(path)
            } catch {
                guard error.isMissing else { throw error }
            }
            try make(path, mode: mode, isDurable: isDurable)
        }
        return try Folder(path)
    }

    private static func make(_ path: String, mode: FileMode, isDurable: Bool) throws(SystemFailure) {
        let parent = parent(of: path)
        let folder: Folder
        do {
            folder = try Folder(parent)
        } catch {
            guard error.isMissing, parent != path else { throw error }
            folder = try making(parent, mode: mode, isDurable: isDurable)
        }
        // What stands there already may be no folder: that shows when it is opened.
        if mkdirat(folder.descriptor.number, name(of: path), mode.ofFolders) == 0 {
            // What the umask took away; one that was replaced meanwhile keeps what it has.
            if mode != .ownerOnly, let made = try? Folder(name(of: path), in: folder) { _ = fchmod(made.descriptor.number, mode.ofFolders) }
        } else if errno != EEXIST {
            throw .last
        }
        if isDurable { try folder.descriptor.synchronize() }
    }

    /// The last part of `path`.
    static func name(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
        return String(path[path.utf8.index(after: slash)...])
    }

    /// The folder that `path` lies in.
    static func parent(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

/// The identity of a folder, whatever path leads to it.
struct FolderIdentity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
}

/// The names in a folder, read at once.
struct FolderListing {
    /// All that is no folder: regular files, symbolic links, FIFOs and the like.
    private(set) var files: [String] = []
    /// Folders, without the links to some.
    private(set) var folders: [String] = []

    /// Lists an open folder. Names that are not UTF-8 are left out: no template gives one.
    init(of folder: Folder) throws(SystemFailure) {
        // A descriptor of its own, since the stream closes it and moves its position.
        let copy = openat(folder.descriptor.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { throw .last }
        guard let stream = fdopendir(copy) else {
            let failure = SystemFailure.last
            close(copy)
            throw failure
        }
        defer { closedir(stream) }
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            add(entry, in: folder)
        }
        guard errno == 0 else { throw .last }
    }

    private mutating func add(_ entry: UnsafeMutablePointer<dirent>, in folder: Folder) {
        guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return }
        // The record may be shorter than the type says; only its name is read.
        let start = UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
        guard let name = String(validatingCString: start), name != ".", name != ".." else { return }
        switch Int32(entry.pointee.d_type) {
        case Int32(DT_DIR): folders.append(name)
        case Int32(DT_UNKNOWN): addByStatus(name, in: folder)
        default: files.append(name)
        }
    }

    private mutating func addByStatus(_ name: String, in folder: Folder) {
        switch try? FileStatus(of: name, in: folder).kind {
        case .regular, .link, .other: files.append(name)
        case .folder: folders.append(name)
        case nil: break
        }
    }
}

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

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

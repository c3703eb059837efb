#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// The status of a file, as the file system has it.
struct FileStatus: Equatable, Sendable {
    /// The kind of file that stands under a name.
    enum Kind: Sendable {
        case regular, folder, link, other

        /// The reason why nothing that is not a regular file is read, replaced or removed; nil for one that is.
        var problem: String? {
            switch self {
            case .regular: nil
            case .folder: "it is a folder"
            case .link: "it is a symbolic link"
            case .other: "it is not a regular file"
            }
        }
    }

    let kind: Kind
    let device: UInt64
    let inode: UInt64
    let size: Int
    /// The time of the last change of the content, in nanoseconds since 1970.
    let modified: Int64
    /// The time of the last use, in nanoseconds since 1970.
    let accessed: Int64

    /// The file at `path`.
    ///
    /// - Parameter following: whether a symbolic link as its last part is followed.
    init(of path: String, following: Bool = true) throws(SystemFailure) {
        let place = try Place(path)
        var raw = stat()
        guard fstatat(place.start, place.path, &raw, following ? 0 : AT_SYMLINK_NOFOLLOW) == 0 else { throw .last }
        self.init(raw)
    }

    /// The file called `name` in an open folder; a symbolic link is not followed.
    init(of name: String, in folder: Folder) throws(SystemFailure) {
        var raw = stat()
        guard fstatat(folder.descriptor.number, name, &raw, AT_SYMLINK_NOFOLLOW) == 0 else { throw .last }
        self.init(raw)
    }

    /// The open file.
    init(of file: borrowing FileDescriptor) throws(SystemFailure) {
        var raw = stat()
        guard fstat(file.number, &raw) == 0 else { throw .last }
        self.init(raw)
    }

    private init(_ raw: stat) {
        switch raw.st_mode & mode_t(S_IFMT) {
        case mode_t(S_IFREG): kind = .regular
        case mode_t(S_IFDIR): kind = .folder
        case mode_t(S_IFLNK): kind = .link
        default: kind = .other
        }
        device = UInt64(truncatingIfNeeded: raw.st_dev)
        inode = UInt64(truncatingIfNeeded: raw.st_ino)
        size = Int(clamping: raw.st_size)
        #if canImport(Darwin)
        modified = Self.nanoseconds(raw.st_mtimespec)
        accessed = Self.nanoseconds(raw.st_atimespec)
        #else
        modified = Self.nanoseconds(raw.st_mtim)
        accessed = Self.nanoseconds(raw.st_atim)
        #endif
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        let (product, overflow) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflowToo) = product.addingReportingOverflow(Int64(time.tv_nsec))
        return overflow || overflowToo ? (time.tv_sec < 0 ? .min : .max) : sum
    }

    /// Indicates whether `other` is the same file with, as far as one can see, the same content.
    func isSameContent(as other: FileStatus) -> Bool {
        inode == other.inode && modified == other.modified && size == other.size && device == other.device
    }

    /// The identity that binds a record to this payload.
    var identity: PayloadIdentity { PayloadIdentity(size: size, modified: modified) }
}

/// The time of last use that the file system keeps of a file.
enum LastUse {
    /// Sets it to `nanoseconds` since 1970. A hint that may get lost: what the file system refuses is no failure of a read.
    static func set(_ nanoseconds: Int64, of path: String) {
        guard let place = try? Place(path) else { return }
        var times = [timespec(), timespec()]
        times[0].tv_sec = .init(nanoseconds / 1_000_000_000)
        times[0].tv_nsec = .init(max(0, nanoseconds % 1_000_000_000))
        times[1].tv_nsec = omitted
        _ = utimensat(place.start, place.path, times, AT_SYMLINK_NOFOLLOW)
    }
}

/// The value in place of nanoseconds that leaves this time as it is. The header's macro is not visible to Swift everywhere.
#if canImport(Darwin)
private let omitted = -2
#else
private let omitted = (1 << 30) - 2
#endif

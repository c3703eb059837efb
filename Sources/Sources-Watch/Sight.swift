/// What a look at a file found.
enum Sight: Equatable, Sendable {
    /// No file that can be read.
    case absent
    /// A file. The checksum of its content is nil where only its identity was looked at.
    case file(FileIdentity, content: Int?)
    /// It changed while it was read.
    case changing

    /// Whether nothing is there that could be a value, as between two steps of saving.
    var isAbsent: Bool {
        switch self {
        case .absent: true
        case .file(let identity, _): identity.size == 0
        case .changing: false
        }
    }

    /// What the system says about the file.
    var identity: FileIdentity? {
        guard case .file(let identity, _) = self else { return nil }
        return identity
    }
}

/// What the system says about a file. It is another one after every change, as far as the clock of the file system can tell.
struct FileIdentity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
    let size: Int
    /// When the content changed, in nanoseconds.
    let modified: Int64
    /// When anything about the file changed, in nanoseconds.
    let changed: Int64
}

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// The destination of a path, in a form that the system takes: it refuses paths over some 1,000 to 4,000 bytes, but not to go on from a
/// folder that is open.
struct Place: ~Copyable {
    /// The length that every system takes.
    private static let longestPath = 1000

    private let folder: FileDescriptor?
    /// The path from the open folder on, or all of the path.
    let path: String

    /// The descriptor that ``path`` starts from.
    var start: Int32 {
        switch folder {
        case .some(let folder): folder.number
        case nil: AT_FDCWD
        }
    }

    /// Indicates whether the system takes `path` as it is.
    static func isShort(_ path: String) -> Bool { path.utf8.count <= longestPath }

    /// Opens folders on the way to `path` only where it is long.
    init(_ path: String) throws(SystemFailure) {
        var folder: FileDescriptor?
        var rest = path[...]
        while rest.utf8.count > Self.longestPath {
            guard let slash = rest.utf8.prefix(Self.longestPath).lastIndex(of: UInt8(ascii: "/")), slash != rest.startIndex else {
                throw SystemFailure(code: ENAMETOOLONG)
            }
            let next = try FileDescriptor(opening: String(rest[..<slash]), from: folder?.number ?? AT_FDCWD, O_RDONLY | O_DIRECTORY)
            folder = consume next
            rest = rest[slash...].drop { $0 == "/" }
        }
        self.folder = folder
        self.path = rest.utf8.count == path.utf8.count ? path : String(rest)
    }
}

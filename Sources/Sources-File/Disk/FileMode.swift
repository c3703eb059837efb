#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// The rights to read and write new files, and to use the folders that are made for them.
public struct FileMode: Sendable, Hashable {
    /// The pattern of a field of the configuration.
    static let pattern = "^0?[67][0-7][0-7]$"

    /// The owner alone: files 0600, folders 0700.
    public static let ownerOnly = FileMode(bits: 0o600)

    private let bits: UInt16

    private init(bits: UInt16) {
        self.bits = bits
    }

    /// The permissions of files as octal digits: `0644` or `644`; nil for another text, and where the owner could not read and write.
    public init?(_ text: String) {
        guard (3...4).contains(text.utf8.count), text.utf8.count == 3 || text.utf8.first == UInt8(ascii: "0"),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }),
            let bits = UInt16(text, radix: 8), bits & 0o600 == 0o600
        else { return nil }
        self.bits = bits
    }

    var ofFiles: mode_t { mode_t(bits) }

    /// Users that may read a file may use its folder.
    var ofFolders: mode_t { mode_t(bits | 0o700 | (bits & 0o444) >> 2) }
}

/// The rights of this process to a file or a folder. The system says so, and nothing is opened.
enum FileAccess {
    /// Throws when the file at `path` cannot be read.
    static func toRead(_ path: String) throws(SystemFailure) {
        try check(path, R_OK)
    }

    /// Throws when nothing can be made in the folder at `path`.
    static func toMakeFiles(in path: String) throws(SystemFailure) {
        try check(path, W_OK | X_OK)
    }

    private static func check(_ path: String, _ mode: Int32) throws(SystemFailure) {
        let place = try Place(path)
        guard faccessat(place.start, place.path, mode, AT_EACCESS) == 0 else { throw .last }
    }
}

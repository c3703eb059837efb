#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// Who may read and write new files, and use the folders that are made for them.
public struct FileMode: Sendable, Hashable {
    /// What a field of the configuration may say.
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

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// Which file is at a path, and when it changed last: another identity means that its content may be another.
struct FileIdentity: Equatable {
    private let device: UInt64
    private let number: UInt64
    private let size: Int64
    private let seconds: [Int]

    /// Follows links. Nil when there is no file.
    private init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(truncatingIfNeeded: status.st_ino)
        size = Int64(status.st_size)
        #if canImport(Darwin)
        let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
        #else
        let (modified, changed) = (status.st_mtim, status.st_ctim)
        #endif
        seconds = [modified.tv_sec, modified.tv_nsec, changed.tv_sec, changed.tv_nsec]
    }

    /// The files at `paths`; nil for each that there is not.
    static func of(_ paths: [String]) -> [FileIdentity?] { paths.map(FileIdentity.init) }
}

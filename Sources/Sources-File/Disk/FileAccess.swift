#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// What this process may do with a file or a folder. The system says so, and nothing is opened.
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

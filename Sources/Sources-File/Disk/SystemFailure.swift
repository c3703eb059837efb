#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// Why a call to the system failed.
struct SystemFailure: Error, Equatable {
    let code: Int32

    /// The failure of the call that was made just before.
    static var last: SystemFailure { SystemFailure(code: errno) }

    /// Whether there is no file of that name. A path below something that is no folder is another failure: it hides a mistake.
    var isMissing: Bool { code == ENOENT }

    /// Whether there were too many symbolic links, or one where none is followed.
    var isOfLink: Bool { code == ELOOP }

    /// The system's words for it, as `permission denied`.
    var words: String {
        guard let text = strerror(code) else { return "error \(code)" }
        let words = String(cString: text)
        return words.prefix(1).lowercased() + words.dropFirst()
    }
}

internal import Pipeline

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// The reason why a call to the system failed.
struct SystemFailure: Error, Equatable {
    let code: Int32

    /// The failure of the call that was made just before.
    static var last: SystemFailure { SystemFailure(code: errno) }

    /// Indicates whether there is no file of that name. A path below something that is no folder is another failure: it hides a mistake.
    var isMissing: Bool { code == ENOENT }

    /// Indicates whether there were too many symbolic links, or one where none is followed.
    var isOfLink: Bool { code == ELOOP }

    /// The system's words for it, as `permission denied`.
    var words: String {
        guard let text = strerror(code) else { return "error \(code)" }
        let words = String(cString: text)
        return words.prefix(1).lowercased() + words.dropFirst()
    }
}

extension SourceError {
    /// The error for an action that failed, its file, and the reason: `cannot read .cache/x.json: permission denied`.
    static func cannot(_ action: String, _ path: String, _ failure: SystemFailure) -> SourceError {
        SourceError("cannot \(action) \(shortened(path)): \(failure.words)", cause: failure)
    }

    /// The error for a file that was opened without following links: the system's words for one are about levels of them.
    static func cannot(_ action: String, _ path: String, opening failure: SystemFailure) -> SourceError {
        if failure.isOfLink, let kind = try? FileStatus(of: path, following: false).kind, kind == .link, let problem = kind.problem {
            return .cannot(action, path, because: problem)
        }
        return .cannot(action, path, failure)
    }

    /// The error for a reason that the system has no number for.
    static func cannot(_ action: String, _ path: String, because reason: String) -> SourceError {
        SourceError("cannot \(action) \(shortened(path)): \(reason)")
    }

    /// The path of a long value, without its middle.
    private static func shortened(_ path: String) -> String {
        path.utf8.count > 400 ? "\(path.prefix(200))…\(path.suffix(100))" : path
    }
}

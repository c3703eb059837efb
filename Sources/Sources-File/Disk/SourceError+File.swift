internal import Pipeline

extension SourceError {
    /// What could not be done, with which file, and why: `cannot read .cache/x.json: permission denied`.
    static func cannot(_ action: String, _ path: String, _ failure: SystemFailure) -> SourceError {
        SourceError("cannot \(action) \(shortened(path)): \(failure.words)", cause: failure)
    }

    /// The same for a file that was opened without following links: the system's words for one are about levels of them.
    static func cannot(_ action: String, _ path: String, opening failure: SystemFailure) -> SourceError {
        if failure.isOfLink, let kind = try? FileStatus(of: path, following: false).kind, kind == .link, let problem = kind.problem {
            return .cannot(action, path, because: problem)
        }
        return .cannot(action, path, failure)
    }

    /// The same for a reason that the system has no number for.
    static func cannot(_ action: String, _ path: String, because reason: String) -> SourceError {
        SourceError("cannot \(action) \(shortened(path)): \(reason)")
    }

    /// The path of a long value, without its middle.
    private static func shortened(_ path: String) -> String {
        path.utf8.count > 400 ? "\(path.prefix(200))…\(path.suffix(100))" : path
    }
}

private import Synchronization

/// The values of `${NAME}` and `${file:path}`. The core itself reads neither variables nor files.
public struct ConfigEnvironment: Sendable {
    /// The reason why `${file:path}` has no value.
    public struct FileProblem: Error, Sendable {
        /// In words: `no such file`.
        public let reason: String

        /// A problem with `reason`.
        public init(_ reason: String) {
            self.reason = reason
        }
    }

    /// The value of a variable, or nil when it is not set.
    public let variable: @Sendable (String) -> String?
    /// The text of a file, whose path is already absolute or relative to the working directory.
    public let file: @Sendable (String) -> Result<String, FileProblem>
    /// The reason why a file that is named by its path, and read only later, cannot be opened; nil if it can.
    public let problem: @Sendable (String) -> FileProblem?

    /// An environment made of look-ups.
    ///
    /// - Parameter problem: checks that a file exists that is read only later, such as one of certificates. By default, all do.
    public init(
        variable: @escaping @Sendable (String) -> String?,
        file: @escaping @Sendable (String) -> Result<String, FileProblem> = { _ in .failure(FileProblem("no such file")) },
        problem: @escaping @Sendable (String) -> FileProblem? = { _ in nil }
    ) {
        self.variable = variable
        self.file = file
        self.problem = problem
    }

    /// `path` as it is opened: `~/` stands for the folder that `HOME` names, another relative path starts from `folder`.
    ///
    /// Nil for a path that begins with `~/` while `HOME` is not set, or empty.
    package func opened(_ path: String, from folder: String) -> String? {
        if path.utf8.starts(with: "~/".utf8) { return home.map { $0 + String(Substring(path.utf8.dropFirst())) } }
        return path.utf8.first == UInt8(ascii: "/") || folder.isEmpty ? path : folder + "/" + path
    }

    /// The folder that `HOME` names, without a slash at its end.
    var home: String? {
        guard var home = variable("HOME"), !home.isEmpty else { return nil }
        while home.utf8.last == UInt8(ascii: "/") { home.removeLast() }
        return home
    }

    /// An environment of these variables, without files.
    public init(_ variables: [String: String]) {
        self.init(variable: { variables[$0] })
    }
}

/// Asks an environment for each value once, and keeps the answers: whatever is read from it belongs to one moment.
package final class EnvironmentRecord: Sendable {
    private struct State {
        var variables: [String: String?] = [:]
        var files: [String: Result<String, ConfigEnvironment.FileProblem>] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// The paths of the `${file:…}` that were read, as they were opened.
    package var files: [String] { state.withLock { $0.files.keys.sorted() } }

    /// `environment`, with the answers that it gave before.
    package func of(_ environment: ConfigEnvironment) -> ConfigEnvironment {
        ConfigEnvironment(
            variable: { [self] name in
                if let known = state.withLock({ $0.variables[name] }) { return known }
                let value = environment.variable(name)
                state.withLock { $0.variables[name] = .some(value) }
                return value
            },
            file: { [self] path in
                if let known = state.withLock({ $0.files[path] }) { return known }
                let text = environment.file(path)
                state.withLock { $0.files[path] = text }
                return text
            }, problem: environment.problem)
    }

    /// Indicates whether `environment` has other texts in the files that were read.
    package func isOutdated(in environment: ConfigEnvironment) -> Bool {
        state.withLock(\.files).contains { path, text in (try? environment.file(path).get()) != (try? text.get()) }
    }
}

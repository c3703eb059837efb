/// Where `${NAME}` and `${file:path}` take their values from. The core itself reads neither variables nor files.
public struct ConfigEnvironment: Sendable {
    /// Why `${file:path}` has no value.
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
    /// Why a file that is named by its path, and read only later, cannot be opened; nil when it can.
    public let problem: @Sendable (String) -> FileProblem?

    /// An environment made of look-ups.
    ///
    /// - Parameter problem: looks whether a file is there that is read only later, as one of certificates; unless given, all are.
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

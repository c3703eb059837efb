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

    /// An environment made of two look-ups.
    public init(
        variable: @escaping @Sendable (String) -> String?,
        file: @escaping @Sendable (String) -> Result<String, FileProblem> = { _ in .failure(FileProblem("no such file")) }
    ) {
        self.variable = variable
        self.file = file
    }

    /// An environment of these variables, without files.
    public init(_ variables: [String: String]) {
        self.init(variable: { variables[$0] })
    }
}

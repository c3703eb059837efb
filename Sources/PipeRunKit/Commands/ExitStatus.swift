internal import ArgumentParser

/// What the exit codes mean.
enum ExitStatus {
    /// The answer is no: every tier failed, `validate` found errors.
    static let no = ExitCode(1)
    /// The configuration cannot be used.
    static let badConfiguration = ExitCode(2)
    /// There is no such value.
    static let notFound = ExitCode(3)
    /// The command line does not fit.
    static let usage = ExitCode(64)
}

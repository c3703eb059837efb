private import Synchronization

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

    /// Whether `environment` has other texts in the files that were read.
    package func isOutdated(in environment: ConfigEnvironment) -> Bool {
        state.withLock(\.files).contains { path, text in (try? environment.file(path).get()) != (try? text.get()) }
    }
}

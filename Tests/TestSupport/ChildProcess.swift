import Pipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif
import Synchronization

/// A program that a test runs.
///
/// Foundation's `Process` learns of an end by a socket that every process inherits which starts meanwhile, and waits for it on the spot: tests
/// side by side, each with a server, would wait for each other for ever. A child of this kind inherits nothing but its standard input and
/// output, and its end is what the system says.
package final class ChildProcess: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private enum State {
        case running
        /// The exit code, or the signal as shells count it.
        case ended(Int32)
    }

    package let identifier: Int32
    private let state = Mutex(State.running)

    /// Starts the program that `arguments` begins with, looked for on the PATH. It reads nothing, and what it writes is lost, unless a file
    /// is named for it.
    package init(_ arguments: [String], input: String? = nil, output: String? = nil, errors: String? = nil) throws {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, input ?? "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output ?? "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, errors ?? "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        // Whatever is open: none open there is no error, and one that is opened meanwhile is closed, too.
        for number in 3..<min(4_096, Int32(sysconf(Int32(_SC_OPEN_MAX)))) { posix_spawn_file_actions_addclose(&actions, number) }
        let words = arguments.map { strdup($0) }
        defer { for word in words { free(word) } }
        var identifier: pid_t = 0
        let problem = posix_spawnp(&identifier, arguments[0], &actions, nil, words + [nil], environ)
        guard problem == 0 else {
            throw Failure(description: "cannot start \(arguments[0]): \(String(cString: strerror(problem)))")
        }
        self.identifier = identifier
    }

    /// Runs a program that ends by itself; gives its exit code.
    @discardableResult
    package static func run(
        _ arguments: [String], input: String? = nil, output: String? = nil, errors: String? = nil
    ) throws -> Int32 {
        try ChildProcess(arguments, input: input, output: output, errors: errors).wait()
    }

    package var isRunning: Bool { look(WNOHANG) == nil }

    /// Nothing once it has ended: the number may be that of another process then.
    package func signal(_ number: Int32) {
        state.withLock { state in
            if case .running = state { _ = kill(identifier, number) }
        }
    }

    /// Ends it as a power cut would; it is gone afterwards.
    package func end() {
        signal(SIGKILL)
        wait()
    }

    /// Waits on the spot: only for what ends without the help of this process.
    @discardableResult
    package func wait() -> Int32 { look(0) ?? -1 }

    private func look(_ options: Int32) -> Int32? {
        state.withLock { state in
            if case .ended(let code) = state { return code }
            var status: Int32 = 0
            var found: pid_t
            repeat { found = waitpid(identifier, &status, options) } while found == -1 && errno == EINTR
            guard found != 0 else { return nil }
            let code = found == -1 ? -1 : status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
            state = .ended(code)
            return code
        }
    }
}

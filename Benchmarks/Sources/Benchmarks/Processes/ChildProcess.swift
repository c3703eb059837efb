import Glibc

/// A program with its arguments, to be run with standard output and error thrown away.
struct ChildProcess {
    struct Failure: Error, CustomStringConvertible {
        let command: String
        let status: Int32

        var description: String { "`\(command)` ended with status \(status)" }
    }

    private let arguments: [String]

    /// - Parameter arguments: the program first, looked up on the PATH unless it has a `/`.
    init(_ arguments: String...) {
        self.init(arguments)
    }

    init(_ arguments: [String]) {
        self.arguments = arguments
    }

    /// Runs it to its end. Throws when it cannot be started, and when its exit code is not 0.
    func run() throws {
        let process = try start()
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        guard status == 0 else { throw Failure(command: arguments.joined(separator: " "), status: status) }
    }

    /// Begins to run it; the caller ends it, and waits for its end.
    func start() throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for stream in [STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0)
        }
        var list = arguments.map { strdup($0) } + [nil]
        defer { for argument in list { free(argument) } }
        var process = pid_t()
        let code = posix_spawnp(&process, arguments[0], &actions, nil, &list, environ)
        guard code == 0 else { throw SystemError("run \(arguments[0])", code) }
        return process
    }
}

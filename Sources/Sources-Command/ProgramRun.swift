internal import Pipeline
internal import Subprocess

#if canImport(System)
private import System
#else
private import SystemPackage
#endif

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// One run of a program, in a session of its own, so that what it starts ends with it.
struct ProgramRun: Sendable {
    /// The end of a program's run.
    struct Ended: Sendable {
        let status: TerminationStatus
        let output: [UInt8]
        /// The last line of standard error.
        let lastError: String?
    }

    /// Programs that are told to end have this long to clean up.
    private static let grace = Duration.milliseconds(500)
    /// The longest time that a program takes to end once it is to end; after that, nothing will end it.
    static let longestEnd = Duration.seconds(5)
    /// The number of bytes of standard error that are kept.
    private static let errorRoom = 4 << 10

    private let program: String
    private let path: String
    private let folder: String
    private let arguments: [String]
    private let variables: [Environment.Key: String]
    private let maxSize: Size

    init(
        _ command: CommandTemplate, arguments: [String], environment: [(name: String, value: String)], maxSize: Size
    ) throws {
        let finder = try ProgramFinder(environment, folder: command.folder)
        path = try finder.find(command.program)
        folder = finder.folder
        program = command.program
        self.arguments = arguments
        self.maxSize = maxSize
        var variables: [Environment.Key: String] = [:]
        for (name, value) in environment { Environment.Key(rawValue: name).map { variables[$0] = value } }
        self.variables = variables
        guard !(arguments + variables.values).contains(where: { $0.utf8.contains(0) }) else {
            throw SourceError("cannot run \(program): there is a NUL character in an argument or a variable")
        }
    }

    /// Runs it to its end. When this is cancelled, the program and all of its session's group are ended first.
    func result() async throws -> Ended {
        do {
            let result = try await Subprocess.run(
                .path(FilePath(path)), arguments: Arguments(executablePathOverride: program, remainingValues: arguments),
                environment: .custom(variables), workingDirectory: FilePath(folder), platformOptions: Self.options,
                input: .none, output: .sequence, error: .sequence
            ) { execution in
                try await streams(of: execution)
            }
            try Task.checkCancellation()
            let (output, errors) = result.closureResult
            return Ended(status: result.terminationStatus, output: output, lastError: errors.lastLine)
        } catch let error as SubprocessError {
            try Task.checkCancellation()
            throw SourceError("cannot run \(program): \(Self.words(for: error))", cause: error)
        }
    }

    private static let steps = [TeardownStep.gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: grace)]

    private static var options: PlatformOptions {
        var options = PlatformOptions()
        options.createSession = true
        options.teardownSequence = steps
        return options
    }

    private func streams(of execution: Execution<NoInput, SequenceOutput, SequenceOutput>) async throws -> ([UInt8], ErrorTail) {
        do {
            async let errors = Self.end(of: execution.standardError, room: Self.errorRoom)
            let output = try await output(of: execution.standardOutput)
            let streams = (output, try await errors)
            if Task.isCancelled {
                await execution.teardown(using: Self.steps)
                // The program can be gone while what it started pays no heed. Its number is not given away before it is waited for.
                try? execution.send(signal: .kill, toProcessGroup: true)
            }
            return streams
        } catch {
            if Task.isCancelled { await execution.teardown(using: Self.steps) }
            try? execution.send(signal: .kill, toProcessGroup: true)
            throw error
        }
    }

    private func output(of sequence: SubprocessOutputSequence) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await buffer in sequence {
            // What was started by a program that is gone can go on writing.
            try Task.checkCancellation()
            guard bytes.count + buffer.count <= maxSize.bytes else {
                throw SourceError("\(program) wrote more than \(maxSize.words), its `max_size`", kind: .invalid)
            }
            buffer.withUnsafeBytes { bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    private static func end(of sequence: SubprocessOutputSequence, room: Int) async throws -> ErrorTail {
        var tail = ErrorTail(room: room)
        for try await buffer in sequence {
            try Task.checkCancellation()
            buffer.withUnsafeBytes { tail.append($0) }
        }
        return tail
    }

    private static func words(for error: SubprocessError) -> String {
        let cause = error.underlyingError.map { "\($0)" }
        switch error.code {
        case .failedToChangeWorkingDirectory: return "its folder cannot be used" + (cause.map { ": \($0)" } ?? "")
        // The program itself has been found.
        case .executableNotFound: return "the program that its first line names is missing"
        default: return cause ?? "\(error)"
        }
    }
}

/// Signals in words.
enum SignalName {
    private static let names: [Int32: String] = [
        SIGHUP: "SIGHUP", SIGINT: "SIGINT", SIGQUIT: "SIGQUIT", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP", SIGABRT: "SIGABRT",
        SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGKILL: "SIGKILL", SIGUSR1: "SIGUSR1", SIGSEGV: "SIGSEGV", SIGUSR2: "SIGUSR2",
        SIGPIPE: "SIGPIPE", SIGALRM: "SIGALRM", SIGTERM: "SIGTERM", SIGXCPU: "SIGXCPU", SIGXFSZ: "SIGXFSZ", SIGSYS: "SIGSYS",
    ]

    /// `signal 9 (SIGKILL)`
    static func text(_ signal: Int32) -> String {
        "signal \(signal)" + (names[signal].map { " (\($0))" } ?? "")
    }
}

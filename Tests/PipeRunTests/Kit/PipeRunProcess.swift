import Foundation
import Pipeline

/// A running `pipe-run`. The starter waits for its end, or ends it.
final class PipeRunProcess: @unchecked Sendable {  // `Process` is set up before it runs; `lock` guards the rest.
    /// Where its standard output goes.
    enum Destination {
        case collected
        /// A pipe whose reader is gone already.
        case broken
        /// A pipe whose reader is there, and takes nothing.
        case unread
        /// None at all.
        case closed
        /// A device that takes nothing.
        case full
        /// A terminal, for standard error as well.
        case terminal
    }

    private let process = Process()
    /// Kept, so that it is there until the end.
    private let folder: WorkFolder
    private let ended = DispatchSemaphore(value: 0)
    private let lock = NSLock()
    private var signals = 0
    let output: Collected?
    /// Kept open.
    private var unread: FileHandle?
    let errors: Collected

    init(
        _ arguments: [String], in folder: WorkFolder, environment: [String: String] = [:], input: [UInt8] = [],
        output destination: Destination = .collected, under observer: [String] = []
    ) throws {
        self.folder = folder
        process.executableURL = observer.isEmpty ? Executable.url : URL(filePath: "/usr/bin/env")
        process.arguments = observer.isEmpty ? arguments : observer + [Executable.url.path] + arguments
        process.currentDirectoryURL = folder.url
        process.environment = Self.cleanEnvironment.merging(environment) { $1 }
        process.terminationHandler = { [ended] _ in ended.signal() }
        let stdin = Pipe()
        process.standardInput = stdin
        switch destination {
        case .collected:
            let (out, err) = (Pipe(), Pipe())
            (process.standardOutput, process.standardError) = (out, err)
            (output, errors) = (
                Collected(dup(out.fileHandleForReading.fileDescriptor)), Collected(dup(err.fileHandleForReading.fileDescriptor))
            )
        case .broken:
            let (out, err) = (Pipe(), Pipe())
            (process.standardOutput, process.standardError) = (out, err)
            try out.fileHandleForReading.close()
            (output, errors) = (nil, Collected(dup(err.fileHandleForReading.fileDescriptor)))
        case .unread:
            let (out, err) = (Pipe(), Pipe())
            (process.standardOutput, process.standardError) = (out, err)
            unread = out.fileHandleForReading
            (output, errors) = (nil, Collected(dup(err.fileHandleForReading.fileDescriptor)))
        case .closed:
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", "exec \"$0\" \"$@\" >&-", Executable.url.path] + arguments
            let err = Pipe()
            process.standardError = err
            (output, errors) = (nil, Collected(dup(err.fileHandleForReading.fileDescriptor)))
        case .full:
            let err = Pipe()
            (process.standardOutput, process.standardError) = (FileHandle(forWritingAtPath: "/dev/full"), err)
            (output, errors) = (nil, Collected(dup(err.fileHandleForReading.fileDescriptor)))
        case .terminal:
            let terminal = try Terminal()
            (process.standardOutput, process.standardError) = (terminal.inner, terminal.inner)
            (output, errors) = (nil, Collected(terminal.outer))
        }
        // Before there is a process, whose end without reading would be that of the tests, too (SIGPIPE). A pipe holds 64 KiB.
        try stdin.fileHandleForWriting.write(contentsOf: input)
        try process.run()
        (process.standardOutput as? Pipe).map { try? $0.fileHandleForWriting.close() }
        (process.standardError as? Pipe).map { try? $0.fileHandleForWriting.close() }
        (process.standardError as? FileHandle).map { try? $0.close() }
        try stdin.fileHandleForWriting.close()
    }

    /// Returns when it has printed something on standard output.
    func answered() throws {
        _ = try output?.first { $0.isEmpty ? nil : $0 }
        guard let unread else { return }
        var descriptor = pollfd(fd: unread.fileDescriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&descriptor, 1, Int32(patience * 1000)) > 0 else { throw TooLong(description: "printed nothing: \(errors.text)") }
    }

    /// Whether it was sent a signal: a second one would end `serve` at once.
    var isSignalled: Bool { lock.withLock { signals > 0 } }

    /// Sends a signal to this process alone.
    func send(_ signal: Int32) {
        lock.withLock { signals += 1 }
        kill(process.processIdentifier, signal)
    }

    /// The memory that it has in use, in MiB, where the system tells (Linux).
    var residentMegabytes: Int {
        let text = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
        return (text.firstMatch(of: /VmRSS:\s+(\d+) kB/).flatMap { Int($0.1) } ?? 0) / 1024
    }

    /// The time that it has computed, where the system tells (Linux).
    var processorTime: Duration {
        let text = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)) ?? ""
        // After the name in parentheses, the fields 14 and 15 of proc(5), in hundredths of a second.
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        return .milliseconds(fields.dropFirst(11).prefix(2).compactMap { Int($0) }.reduce(0, +) * 10)
    }

    /// Whether none of its threads computes, or wants to, where the system tells (Linux).
    var sleeps: Bool {
        let folder = "/proc/\(process.processIdentifier)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return threads.allSatisfy { thread in
            let text = (try? String(contentsOfFile: "\(folder)/\(thread)/stat", encoding: .utf8)) ?? ""
            return text.split(separator: ")").last?.split(separator: " ").first == "S"
        }
    }

    /// Waits for the end; a process that does not come to one is killed.
    ///
    /// - Parameter seconds: how long it may take; more where it computes for long, as others compute beside it.
    func ran(within seconds: TimeInterval = patience) async throws -> Ran {
        try await blocking { [self] in
            guard ended.wait(timeout: .now() + seconds) == .success else {
                send(SIGKILL)
                throw TooLong(description: "\(process.arguments ?? []) did not end: \(errors.text)")
            }
            let end = ContinuousClock.now
            errors.release()
            let status = process.terminationReason == .uncaughtSignal ? 128 + process.terminationStatus : process.terminationStatus
            return Ran(status: status, output: try output?.all() ?? [], errors: String(decoding: try errors.all(), as: UTF8.self), end: end)
        }
    }

    /// The environment of the tests, without what changes how things look.
    private static let cleanEnvironment = ProcessInfo.processInfo.environment
        .filter { !["NO_COLOR", "FORCE_COLOR", "TERM", "COLUMNS", "LC_ALL", "LC_CTYPE", "LANG"].contains($0.key) }
        .merging(["TERM": "xterm-256color"]) { $1 }
}

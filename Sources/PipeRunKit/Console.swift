internal import Pipeline
internal import PipelineConfig

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif
private import Synchronization

/// The process's standard output and error.
struct Console {
    enum Stream: Int32 {
        case output = 1
        case error = 2
    }

    let stream: Stream

    static let output = Console(stream: .output)
    static let error = Console(stream: .error)

    /// Whether a person looks at it.
    var isTerminal: Bool { isatty(stream.rawValue) == 1 }

    /// When colours are shown.
    enum Colour: String, CaseIterable {
        case auto, always, never
    }

    /// What `--color` says.
    static var colour: Colour {
        get { chosenColour.withLock(\.self) }
        set { chosenColour.withLock { $0 = newValue } }
    }

    /// Whether it shows colours: as `--color` says, else on a terminal, unless `NO_COLOR` is set or the terminal cannot. `FORCE_COLOR` stands for
    /// a terminal that can.
    var hasColour: Bool {
        switch Self.colour {
        case .always: true
        case .never: false
        case .auto where Self.isSet("NO_COLOR"): false
        case .auto: Self.isSet("FORCE_COLOR") || isTerminal && getenv("TERM").map { String(cString: $0) } != "dumb"
        }
    }

    /// Writes all bytes. A reader that went away is no error; what else keeps the output from being whole ends the process with 1.
    func write(_ bytes: [UInt8]) {
        guard !closedStreams.contains(stream.rawValue) else { return fail(EBADF) }
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
                let count = writeBytes(stream.rawValue, start, rest.count)
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if errno == EAGAIN {
                    waitUntilWritable()
                } else if errno != EINTR {
                    return fail(errno)
                }
            }
        }
    }

    /// Writes text that a slow reader may hold up, as bytes are written so.
    func stream(_ text: String) async -> Bool { await stream(Array(text.utf8)) }

    /// Writes bytes that a slow reader may hold up: other tasks run meanwhile. A cancelled one gives up as soon as the reader takes nothing,
    /// and after a second in any case. Whether all of it was taken.
    func stream(_ bytes: [UInt8]) async -> Bool {
        guard canHoldUp else {
            write(bytes)
            return !Self.hasLostOutput
        }
        var rest = bytes[...]
        var end: Timestamp?
        while !rest.isEmpty {
            while !waitUntilWritable(within: .milliseconds(50)) {
                if Task.isCancelled { return false }
                await Task.yield()
            }
            if Task.isCancelled {
                let now = PipelineClock.system.now
                let limit = end ?? now + .seconds(1)
                guard now < limit else { return false }
                end = limit
            }
            // A pipe that can be written to takes as many bytes at once.
            write(Array(rest.prefix(Int(PIPE_BUF))))
            guard stream == .error || !(Self.hasLostOutput || readerIsGone.load(ordering: .relaxed)) else { return false }
            rest = rest.dropFirst(Int(PIPE_BUF))
        }
        return true
    }

    /// Whether it may take nothing for a while: a file always takes what comes, and a stream that is closed never does.
    private var canHoldUp: Bool {
        var status = stat()
        guard !closedStreams.contains(stream.rawValue), fstat(stream.rawValue, &status) == 0 else { return false }
        return status.st_mode & S_IFMT != S_IFREG
    }

    /// Returns when the reader of a pipe is gone, at the latest half a second later, or when the task is cancelled.
    func waitForReaderToLeave() async {
        var descriptor = pollfd(fd: stream.rawValue, events: 0, revents: 0)
        while poll(&descriptor, 1, 0) < 0 || Int32(descriptor.revents) & (POLLERR | POLLHUP) == 0 {
            guard (try? await PipelineClock.system.sleep(for: .milliseconds(500))) != nil else { return }
        }
    }

    /// Whether the next bytes find room, or an error is waiting that the next write gets; false when neither comes in time.
    @discardableResult
    private func waitUntilWritable(within limit: Duration? = nil) -> Bool {
        var descriptor = pollfd(fd: stream.rawValue, events: Int16(POLLOUT), revents: 0)
        return poll(&descriptor, 1, limit.map { Int32($0.milliseconds) } ?? -1) > 0
    }

    private func fail(_ code: Int32) {
        if stream == .output, code == EPIPE { readerIsGone.store(true, ordering: .relaxed) }
        guard stream == .output, code != EPIPE, !outputIsLost.exchange(true, ordering: .relaxed) else { return }
        Self.say("cannot write standard output: \(String(cString: strerror(code)).lowercased())")
    }

    /// Whether something that was to be on standard output is not.
    static var hasLostOutput: Bool { outputIsLost.load(ordering: .relaxed) }

    func write(_ text: String) {
        guard stream == .error else { return write(Array(text.utf8)) }
        let text = masks.withLock(\.self).reduce(text) { $1.redacted($0) }
        if let queue = errorQueue.withLock(\.self) { return queue.add(text) }
        write(Array(text.utf8))
    }

    func writeLine(_ text: String) {
        write(text + "\n")
    }

    /// Says what went wrong to people: one line on standard error, and below it what helps.
    static func say(_ message: String, help: String? = nil) {
        error.writeLine("pipe-run: \(message.printable)" + (help.map { "\nhelp: \($0.printable)" } ?? ""))
    }

    /// Says why something failed: what is wrong, and below it what helps where that is known.
    static func say(_ error: any Error, masking redactor: Redactor) {
        guard let error = error as? UsageError else { return say(redactor.redacted("\(error)").withLongWordsCut) }
        say(redactor.redacted(error.message), help: error.help)
    }

    /// Masks the secrets of a configuration that was read in all that standard error gets from now on, whoever writes it.
    static func mask(by redactor: Redactor) {
        masks.withLock { $0 = $0.suffix(mostMasks - 1) + [redactor] }
    }

    /// The configurations whose secrets are masked: the newest ones, of a process that reads its file again and again.
    private static let mostMasks = 32

    /// Makes standard output and error safe to write to.
    ///
    /// A reader that went away ends the writing, not the process: caches are still to be written. A stream that is closed stays so:
    /// otherwise the next file or connection that is opened would take its number, and get what is printed.
    static func prepare() {
        signal(SIGPIPE, SIG_IGN)
        for descriptor in closedStreams.sorted() where fcntl(descriptor, F_GETFD) < 0 { _ = open("/dev/null", O_RDWR) }
    }

    /// Has standard error written on a thread of its own from now on, so that nothing waits for its reader.
    ///
    /// - Parameter dropped: the line that says how many lines are missing.
    static func queueErrors(dropped: @escaping @Sendable (Int) -> String) {
        let queue = LineQueue(dropped: dropped) { error.write(Array($0.utf8)) }
        errorQueue.withLock { $0 = queue }
    }

    /// Writes what waits for standard error, no longer than `limit`.
    static func finishErrors(within limit: Duration) async {
        guard let queue = errorQueue.withLock(\.self), await queue.finish(within: limit) else { return }
        errorQueue.withLock { $0 = nil }
    }

    /// Takes nothing more from standard input.
    static func giveUpInput() {
        let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard nothing > 0 else { return }
        dup2(nothing, 0)
        close(nothing)
    }

    private static func isSet(_ variable: String) -> Bool {
        getenv(variable).map { !String(cString: $0).isEmpty } ?? false
    }
}

/// The standard streams that are closed. By now the runtime may have taken their numbers for what it waits with, which is neither a
/// file nor a pipe, and so has no type.
private let closedStreams: Set<Int32> = Set(
    (0...2).filter { descriptor in
        var status = stat()
        return fstat(descriptor, &status) != 0 || status.st_mode & S_IFMT == 0
    })

/// Takes the text for standard error where nothing is to wait for its reader; nil where it is written at once.
private let chosenColour = Mutex(Console.Colour.auto)
private let masks = Mutex<[Redactor]>([])
private let errorQueue = Mutex<LineQueue?>(nil)
private let outputIsLost = Atomic(false)
private let readerIsGone = Atomic(false)

private func writeBytes(_ descriptor: Int32, _ start: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, start, count)
}

private import Foundation
internal import Pipeline
internal import PipelineConfig
internal import PipelineJSON
internal import PipelineReports
internal import PipelineServer
internal import PipelineYAML
private import Synchronization

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// The process's standard output and error.
struct Console {
    enum Stream: Int32 {
        case output = 1
        case error = 2
    }

    let stream: Stream

    static let output = Console(stream: .output)
    static let error = Console(stream: .error)

    /// Indicates whether a person looks at it.
    var isTerminal: Bool { isatty(stream.rawValue) == 1 }

    /// A rule for when colours are shown.
    enum Colour: String, CaseIterable {
        case auto, always, never
    }

    /// The rule that `--color` names.
    static var colour: Colour {
        get { chosenColour.withLock(\.self) }
        set { chosenColour.withLock { $0 = newValue } }
    }

    /// Indicates whether it shows colours: as `--color` says, else on a terminal, unless `NO_COLOR` is set or the terminal cannot.
    /// `FORCE_COLOR` stands for a terminal that can.
    var hasColour: Bool {
        switch Self.colour {
        case .always: true
        case .never: false
        case .auto where Self.isSet("NO_COLOR"): false
        case .auto: Self.isSet("FORCE_COLOR") || isTerminal && getenv("TERM").map { String(cString: $0) } != "dumb"
        }
    }

    /// The number of columns of a terminal; nil if no terminal reads.
    var columns: Int? {
        guard isTerminal else { return nil }
        if let given = Self.variable("COLUMNS").flatMap({ Int($0) }), given > 0 { return given }
        var size = winsize()
        return ioctl(stream.rawValue, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : nil
    }

    /// Indicates whether the locale has another encoding than UTF-8, which lines, arrows and marks are drawn with otherwise.
    static let drawsInASCII = drawsInASCII(under: ["LC_ALL", "LC_CTYPE", "LANG"].compactMap(variable).first)

    /// Indicates whether `locale` has another encoding than UTF-8; false if none is set, with nil.
    static func drawsInASCII(under locale: String?) -> Bool {
        guard let locale else { return false }
        let name = locale.lowercased()
        return !name.contains("utf-8") && !name.contains("utf8")
    }

    /// The format of lines on standard error.
    static var format: LogFormat {
        get { chosenFormat.withLock(\.self) }
        set { chosenFormat.withLock { $0 = newValue } }
    }

    /// Writes all bytes as they are: a payload, or a file. A reader that went away is no error; any other loss of output ends the process
    /// with 1.
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

    /// Writes text that a slow reader may hold up, secrets masked.
    func stream(_ text: String) async -> Bool { await stream(Array(Self.masked(text).utf8)) }

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

    /// Indicates whether it may take nothing for a while: a file always takes what comes, and a stream that is closed never does.
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

    /// Indicates whether the next bytes find room, or an error is waiting that the next write gets; false if neither comes in time.
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

    /// Indicates whether something that was to be on standard output is not.
    static var hasLostOutput: Bool { outputIsLost.load(ordering: .relaxed) }

    /// Writes text, secrets masked: on standard error as the log is written.
    func write(_ text: String) {
        guard stream == .error else { return write(Array(Self.masked(text).utf8)) }
        switch Self.format {
        case .text: writeErrors(text)
        case .json: Self.log(text, level: "notice")
        }
    }

    func writeLine(_ text: String) {
        write(text + "\n")
    }

    /// Writes text that is for people, as their terminal can show it.
    func show(_ text: String) {
        write(stream == .output ? Self.shown(text) : text)
    }

    /// The text as a terminal can show it.
    static func shown(_ text: String) -> String { drawsInASCII ? text.drawnInASCII : text }

    /// Writes lines to standard error that have their form.
    func writeErrors(_ text: String) {
        let text = Self.masked(text)
        let shown = Self.format == .text ? Self.shown(text) : text
        if let queue = errorQueue.withLock(\.self) { return queue.add(shown) }
        write(Array(shown.utf8))
    }

    /// Says what went wrong to people: one line on standard error, and below it what helps.
    static func say(_ message: String, help: String? = nil) {
        guard format == .json else {
            return error.writeLine("pipe-run: \(message.printable)" + (help.map { "\nhelp: \($0.printable)" } ?? ""))
        }
        let levels = [("warning: ", "warning"), ("note: ", "notice")]
        let (prefix, level) = levels.first { message.hasPrefix($0.0) } ?? ("", "error")
        log(String(message.dropFirst(prefix.count)), level: level, help.map { [("help", .string($0.printable))] } ?? [])
    }

    /// Shows problems of a file to people.
    static func show(_ problems: [Diagnostic], in lines: SourceLines, hiding secrets: [TextRange]) {
        guard format == .json else {
            let printer = DiagnosticPrinter(lines: lines, secretRanges: secrets, hasColour: error.hasColour)
            return error.write(problems.map(printer.text).joined(separator: "\n"))
        }
        for problem in problems {
            let level = problem.severity == .note ? "notice" : problem.severity.rawValue
            log(problem.message, level: level, DiagnosticJSON.members(problem).filter { $0.0 != "message" && $0.0 != "severity" })
        }
    }

    /// Writes an object of the log.
    private static func log(_ event: String, level: String, _ members: [(String, JSONText)] = []) {
        let event = event.split(whereSeparator: \.isNewline).joined(separator: " ").printable
        error.writeErrors(ConsoleLogHandler.json(event, level: level, members) + "\n")
    }

    /// Says why something failed: what is wrong, and below it what helps where that is known.
    static func say(_ error: any Error, masking redactor: Redactor) {
        guard let error = error as? UsageError else { return say(redactor.redacted("\(error)").withLongWordsCut) }
        say(redactor.redacted(error.message), help: error.help)
    }

    /// Masks the secrets of a configuration that was read in all texts that are written from now on, whoever writes them.
    static func mask(by redactor: Redactor) {
        masks.withLock { $0 = $0.suffix(mostMasks - 1) + [redactor] }
    }

    private static func masked(_ text: String) -> String { masks.withLock(\.self).reduce(text) { $1.redacted(document: $0) } }

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

    private static func isSet(_ name: String) -> Bool { variable(name) != nil }

    /// The variable of the environment; nil if it is empty.
    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// The standard streams that are closed. By now the runtime may have taken their numbers for what it waits with, which is neither a
/// file nor a pipe, and so has no type.
private let closedStreams: Set<Int32> = Set(
    (0...2).filter { descriptor in
        var status = stat()
        return fstat(descriptor, &status) != 0 || status.st_mode & S_IFMT == 0
    })

private let chosenColour = Mutex(Console.Colour.auto)
private let chosenFormat = Mutex(LogFormat.text)
private let masks = Mutex<[Redactor]>([])
/// The queue of text for standard error, so that nothing waits for its reader; nil if text is written at once.
private let errorQueue = Mutex<LineQueue?>(nil)
private let outputIsLost = Atomic(false)
private let readerIsGone = Atomic(false)

private func writeBytes(_ descriptor: Int32, _ start: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, start, count)
}

/// The process's standard input.
enum StandardInput {
    /// Indicates whether a person types there.
    static var isTerminal: Bool { isatty(0) == 1 }

    /// All of it; no more than `limit` bytes and those that came with the last of them, however much there is.
    static func read(limit: Int = .max) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < limit, let chunk = try FileHandle.standardInput.read(upToCount: 1 << 16), !chunk.isEmpty { bytes += chunk }
        return bytes
    }
}

extension String {
    /// The text with each word of more than 200 characters cut: a key, a URL or a path that a message quotes may be much. The marks behind a
    /// word stay.
    var withLongWordsCut: String {
        guard utf8.count > Self.longestWord else { return self }
        var text = UnicodeScalarView()
        var rest = unicodeScalars[...]
        while let first = rest.first {
            let word = rest.prefix { !$0.properties.isWhitespace }
            text.append(contentsOf: word.prefix(Self.longestWord))
            if word.count > Self.longestWord {
                text.append("…")
                text.append(contentsOf: word.suffix(3).drop { !"`'\");:,.".unicodeScalars.contains($0) })
            }
            rest = rest[word.endIndex...]
            if word.isEmpty {
                text.append(first)
                rest = rest.dropFirst()
            }
        }
        return String(text)
    }

    /// The most characters of one word.
    private static let longestWord = 200
}

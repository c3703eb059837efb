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

    /// Whether a person looks at it.
    var isTerminal: Bool { isatty(stream.rawValue) == 1 }

    /// Whether it shows colours: on a terminal, unless `NO_COLOR` is set or the terminal cannot.
    var hasColour: Bool {
        isTerminal && !Self.isSet("NO_COLOR") && getenv("TERM").map { String(cString: $0) } != "dumb"
    }

    /// Writes all bytes. Nobody listening any more is no error.
    func write(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
                let count = writeBytes(stream.rawValue, start, rest.count)
                if count < 0, errno == EINTR || errno == EAGAIN { continue }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }

    func write(_ text: String) {
        write(Array(text.utf8))
    }

    func writeLine(_ text: String) {
        write(text + "\n")
    }

    /// A reader that went away ends the writing, not the process: caches are still to be written.
    static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    private static func isSet(_ variable: String) -> Bool {
        getenv(variable).map { !String(cString: $0).isEmpty } ?? false
    }
}

private func writeBytes(_ descriptor: Int32, _ start: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, start, count)
}

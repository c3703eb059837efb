/// What a run of `pipe-run` came to.
struct Ran {
    /// The exit code; 128 and the signal's number when a signal ended it.
    let status: Int32
    /// The bytes on standard output.
    let output: [UInt8]
    /// The text on standard error.
    let errors: String

    /// When it had ended, however long the test took to hear of it.
    let end: ContinuousClock.Instant

    /// Standard output as text.
    var text: String { String(decoding: output, as: UTF8.self) }

    /// The lines of standard output.
    var lines: [String] { text.split(separator: "\n").map(String.init) }

    /// Everything that was printed.
    var everything: String { text + errors }
}

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif
internal import Pipeline
internal import Logging

/// Writes log events to standard error, one line each: the time, the level, the message, and the metadata as `name=value`.
///
/// A value that could be taken for more than one is quoted like a string of JSON.
struct ConsoleLogHandler: LogHandler {
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    init(logLevel: Logger.Level) {
        self.logLevel = logLevel
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        Console.error.writeLine("\(Self.now) \(Self.line(event, metadata: metadata.merging(metadataProvider?.get() ?? [:]) { $1 }))")
    }

    /// The line without the time.
    static func line(_ event: LogEvent, metadata: Logger.Metadata = [:]) -> String {
        let values = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
        return (["\(event.level) \("\(event.message)".printable)"] + values.map { "\(word($0.key))=\(word("\($0.value)"))" })
            .joined(separator: " ")
    }

    /// `text` as one word.
    private static func word(_ text: String) -> String {
        let isPlain = !text.isEmpty && text.unicodeScalars.allSatisfy { "!"..."~" ~= $0 && $0 != "\"" && $0 != "=" && $0 != "\\" }
        return isPlain ? text : JSONText.string(text.printable).text
    }

    /// In UTC, as `2026-01-31T23:59:59Z`.
    private static var now: String {
        var seconds = time(nil)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
            + "T\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))Z"
    }
}

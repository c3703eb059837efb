internal import ArgumentParser
internal import Logging
internal import Pipeline
internal import PipelineConfig
internal import PipelineJSON
internal import PipelineServer

/// Writes log events to standard error, one line each: the time, the level, the message, and the metadata as `name=value`; or an object
/// of JSON with all of these.
///
/// A value that could be taken for more than one is quoted like a string of JSON.
struct ConsoleLogHandler: LogHandler {
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    private let format: LogFormat

    init(logLevel: Logger.Level, format: LogFormat = .text) {
        self.logLevel = logLevel
        self.format = format
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        Console.error.writeErrors(text(event, metadata: metadata.merging(metadataProvider?.get() ?? [:]) { $1 }) + "\n")
    }

    /// The line that says how many are missing.
    func dropped(_ count: Int) -> String {
        let metadata: Logger.Metadata = ["count": .stringConvertible(count), "reason": "standard error was not read"]
        return text(LogEvent(level: .warning, message: "dropped", metadata: metadata, source: "", file: "", function: "", line: 0)) + "\n"
    }

    private func text(_ event: LogEvent, metadata: Logger.Metadata = [:]) -> String {
        let time = Self.time
        return switch format {
        case .text: "\(time) \(Self.line(event, metadata: metadata))"
        case .json: Self.json(event, metadata: metadata, time: time)
        }
    }

    private static var time: String { CivilTime(PipelineClock.system.wall()).inLog }

    /// A message for people as a line of JSON.
    static func json(_ event: String, level: String, _ members: [(String, JSONText)]) -> String {
        JSONText.object([("time", .string(time)), ("level", .string(level)), ("event", .string(event))] + members).text
    }

    /// The line without the time.
    static func line(_ event: LogEvent, metadata: Logger.Metadata = [:]) -> String {
        (["\(event.level) \("\(event.message)".printable)"] + values(of: event, metadata).map { "\(word($0.0))=\(word($0.1))" })
            .joined(separator: " ")
    }

    /// The line as JSON: `time`, `level` and `event` first. What is called like one of them has an underscore before its name.
    static func json(_ event: LogEvent, metadata: Logger.Metadata = [:], time: String) -> String {
        let first = [("time", time), ("level", "\(event.level)"), ("event", "\(event.message)")]
        let values = values(of: event, metadata).map { name, value in (first.contains { $0.0 == name } ? "_\(name)" : name, value) }
        return JSONText.object((first + values).map { ($0.0, isNumber($0.0) ? number($0.1) : .string($0.1.printable)) }).text
    }

    private static func values(of event: LogEvent, _ metadata: Logger.Metadata) -> [(String, String)] {
        metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }.map { ($0.key, "\($0.value)") }
    }

    private static func isNumber(_ name: String) -> Bool { ["ms", "status", "bytes"].contains(name) }

    private static func number(_ text: String) -> JSONText {
        let isPlain = !text.isEmpty && text.utf8.allSatisfy { "0123456789.".utf8.contains($0) } && Double(text) != nil
        return isPlain ? .number(text) : .string(text.printable)
    }

    /// `text` as one word.
    private static func word(_ text: String) -> String {
        let isPlain = !text.isEmpty && text.unicodeScalars.allSatisfy { "!"..."~" ~= $0 && $0 != "\"" && $0 != "=" && $0 != "\\" }
        return isPlain ? text : JSONText.string(text.printable).text
    }
}

/// A format in which `serve` writes a line of its log.
enum LogFormat: String, CaseIterable, ExpressibleByArgument {
    /// The time, the level, the event, and `name=value`.
    case text
    /// An object of JSON on one line.
    case json
}

internal import ArgumentParser
internal import Logging

/// From which level on `serve` logs.
enum LogThreshold: String, CaseIterable, ExpressibleByArgument {
    case off
    case warning
    case info
    case debug

    /// Nil for nothing at all.
    var level: Logger.Level? {
        switch self {
        case .off: nil
        case .warning: .warning
        case .info: .info
        case .debug: .debug
        }
    }
}

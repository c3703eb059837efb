import Foundation
import Pipeline
import PipelineConfig
import PipelineLive
import Synchronization
import Testing

@testable import Pipeline
@testable import PipelineConfig
@testable import SourcesWatch

/// A file that is watched while a test runs. At each signal the file is read, as a load would read it.
final class Watching: Sendable {
    /// How the changes of the file come to be known.
    enum Manner: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case reports, looks

        var testDescription: String { rawValue }

        /// Only reports of the system, or only looks, so that one does not hide what the other misses.
        var timing: WatchTiming {
            switch self {
            case .reports: WatchTiming(interval: .seconds(3_600))
            case .looks: WatchTiming(quiet: .milliseconds(100), interval: .milliseconds(20))
            }
        }
    }

    private struct State {
        var values: [String?] = []
        var signals = 0
    }

    private let path: String
    private let state = Mutex(State())
    private let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)

    private init(_ path: String) {
        self.path = path
    }

    /// Runs `body` while the file at `path` is watched.
    static func run(
        _ path: String, _ manner: Manner = .reports, _ change: (inout WatchTiming) -> Void = { _ in },
        _ body: @escaping @Sendable (Watching) async throws -> Void
    ) async throws {
        var timing = manner.timing
        change(&timing)
        let source = WatchSource(path: .text(path), clock: .system, timing: timing, listens: manner == .reports)
        let watching = Watching(path)
        let (beginning, begins) = AsyncStream.makeStream(of: Void.self)
        let listener = LiveListener { event in
            switch event {
            case .began: begins.finish()
            case .message(let message): watching.receive(message)
            default: Issue.record("\(event)")
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                do {
                    let ending = try await source.listen(for: Key(pipeline: "team"), to: listener)
                    Issue.record("\(ending)")
                } catch {
                    #expect(error is CancellationError)
                }
            }
            for await _ in beginning {}
            defer { group.cancelAll() }
            try await body(watching)
        }
    }

    private func receive(_ message: LiveMessage) {
        #expect(message.payload == nil)
        let value = try? String(contentsOfFile: path, encoding: .utf8)
        state.withLock { state in
            state.signals += 1
            if state.values.last != value { state.values.append(value) }
        }
        arrival.yield()
    }

    /// What was in the file at each signal; nil where there was none. The same value twice in a row is listed once.
    var values: [String?] { state.withLock(\.values) }

    /// How many signals came.
    var signals: Int { state.withLock(\.signals) }

    /// Returns when a signal has come since the last call of this or ``sees(_:)``.
    func signal() async {
        for await _ in arrivals { return }
    }

    /// Returns when a signal has come at which the file held `value`, nil for no file.
    func sees(_ value: String?) async {
        if values.contains(value) { return }
        for await _ in arrivals where values.contains(value) { return }
    }
}

extension PathTemplate {
    /// The template that a configuration file would read from `text`.
    static func text(_ text: String) -> PathTemplate {
        PathTemplate(template: Template(InterpolatedText(pieces: [.literal(text, offset: 0)])), base: "")
    }
}

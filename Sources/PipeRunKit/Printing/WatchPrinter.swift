internal import Pipeline
import PipelineComposing
internal import PipelineConfig
internal import PipelineJSON
import PipelineLive
internal import PipelineSending
internal import PipelineServer

/// Makes text of snapshots, one after the other: what is new since the one before.
struct WatchPrinter: Sendable {
    private let name: String
    private let format: PayloadFormat
    /// Indicates whether the pipeline is a composite.
    private let isCombined: Bool
    private let output: WatchOutput
    private let redactor: Redactor
    private let clock: PipelineClock
    private var known: Snapshot?
    /// The number of values that were printed.
    private(set) var values = 0

    init(_ spec: PipelineSpec, output: WatchOutput, redactor: Redactor, clock: PipelineClock = .system) {
        name = spec.name
        format = spec.policy.format
        isCombined = spec.combine != nil
        self.output = output
        self.redactor = redactor
        self.clock = clock
    }

    /// The lines of JSON, and those for people, that `snapshot` brings.
    mutating func text(_ snapshot: Snapshot) -> (lines: [String], status: [String]) {
        let isNew = known?.revision != snapshot.revision || snapshot.changes != .none
        let text = (lines(snapshot, isNew: isNew), status(snapshot, isNew: isNew))
        if isNew, snapshot.entry != nil { values += 1 }
        known = snapshot
        return text
    }

    private func lines(_ snapshot: Snapshot, isNew: Bool) -> [String] {
        switch output {
        case .raw: isNew ? snapshot.entry.map { [Envelope.value($0.payload, format: format).1.text] } ?? [] : []
        case .changes: isNew && snapshot.revision > 0 ? ChangeLine.lines(of: snapshot, format: format) : []
        case .envelope: isNew || hasNewState(snapshot) ? [envelope(snapshot)] : []
        }
    }

    private func envelope(_ snapshot: Snapshot) -> String {
        SnapshotEnvelope(snapshot, at: clock.now, format: format, isCombined: isCombined, redactor: redactor).line
    }

    /// Indicates whether the envelope says something new besides the value. That a load runs is not in it.
    private func hasNewState(_ snapshot: Snapshot) -> Bool {
        guard let known = known?.status else { return true }
        let status = snapshot.status
        return status.feeds != known.feeds || status.sends != known.sends || status.isStale != known.isStale
            || message(of: status) != message(of: known)
            || isCombined && !status.lacksSame(as: known)
    }

    private func message(of status: LiveStatus) -> String? { status.error.map { redactor.redacted("\($0)") } }

    private func status(_ snapshot: Snapshot, isNew: Bool) -> [String] {
        var lines: [String] = []
        let before = known?.status.feeds ?? []
        for feed in snapshot.status.feeds where !before.contains(feed) {
            // Each feed begins with `off`; those of parts come and go with the parts.
            let isListed = before.contains { $0.source == feed.source && $0.pipeline == feed.pipeline }
            if feed.state != .off || isListed { lines.append(line(feed)) }
        }
        if let message = message(of: snapshot.status), message != known.flatMap({ self.message(of: $0.status) }) {
            lines.append("pipe-run: " + message)
        }
        if snapshot.entry != nil {
            let told = Set(known?.entry == nil ? [] : known?.status.parts.lackLines ?? [])
            lines += snapshot.status.parts.lackLines.filter { !told.contains($0) }.map { redactor.redacted("pipe-run: " + $0) }
        }
        if isNew, snapshot.isNotFound {
            lines.append(redactor.redacted("pipe-run: `\(snapshot.key)` not found"))
        } else if isNew, snapshot.entry == nil, known?.entry != nil {
            lines.append(redactor.redacted("pipe-run: `\(snapshot.key)` removed; nothing is known of it until it is loaded again"))
        }
        return lines
    }

    /// The words for the status of a feed.
    private func line(_ feed: FeedStatus) -> String {
        let name = feed.source + (feed.pipeline.map { " of \($0)" } ?? "")
        return "\(name): \(feed.state.rawValue)" + (feed.reason.map { " (\($0))" } ?? "")
            + (feed.pause.map { ", again in \(TracePrinter.words($0))" } ?? "")
    }
}

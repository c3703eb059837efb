internal import Pipeline
internal import PipelineConfig
import PipelineLive
import PipelineSending

/// The events of a run, in the order in which they happen.
final class Story {
    private(set) var events: [ScenarioEvent] = []
    /// The events beyond those that people want to read: the work of each of many fetches at once, and the work that the engine did by
    /// itself in a step that it did much in.
    private(set) var further = TraceDigest()
    /// Indicates whether a cache evicted a copy.
    private(set) var hasEvictions = false
    /// The step that is done, from 1.
    var step = 0 {
        didSet { told = 0 }
    }
    /// The number of things the engine did by itself in the step.
    private var told = 0
    /// The greatest number of things of one step that are kept.
    static let mostTold = 500
    /// The sends as they were told of last, by their ids.
    private var marks: [String: ScenarioEvent.SendMark] = [:]
    /// The moment until which a copy in a source is fresh, since the beginning; nil without a limit.
    var limit: (String, Key) -> Duration? = { _, _ in nil }
    /// The kinds of sends, for the lines that declare them.
    var kinds: [SendPlan] = []
    private let pipeline: String
    private let deciding: DecidingLine
    private let redactor: Redactor
    /// Attempts that belong to no fetch yet.
    private var attempts: [(time: Int64, attempt: Attempt, key: Key)] = []
    /// The attempts of the fetches that were added last, and where they stand in the story.
    private var asked: [(key: Key, word: TraceWord, event: Int, part: Int)] = []

    init(_ pipeline: PipelinePlan, redactor: Redactor) {
        self.pipeline = pipeline.name
        deciding = DecidingLine(pipeline)
        self.redactor = redactor
    }

    func add(
        _ kind: ScenarioEvent.Kind, at time: Duration, key: String = "", note: String? = nil, parts: [ScenarioEvent.Part] = [],
        feed: ScenarioEvent.Feed? = nil
    ) {
        append(ScenarioEvent(kind: kind, time: time, step: step, key: key, parts: parts, note: note, feed: feed))
    }

    /// A send that a step has sent, or has not: then without what became of it.
    ///
    /// - Parameter note: its id, and what became of it, for people.
    func add(_ send: String, at time: Duration, _ sending: ScenarioEvent.Sending?, took: Duration, note: String) {
        append(
            ScenarioEvent(
                kind: .send, time: time, step: step, key: "", note: "\(send) \(note)", place: place(of: send), took: took,
                sending: sending))
    }

    /// A send that is in another state. Its beginning is told by its step, and that it is tried by the origin.
    private func add(_ status: SendStatus, at time: Int64) {
        let mark = ScenarioEvent.SendMark(status)
        let isBeginning = marks[mark.id] == nil && mark.state == .waiting && mark.tries == 0 && mark.reason == nil
        guard mark.state != .sending, !isBeginning, marks.updateValue(mark, forKey: mark.id) != mark else { return }
        append(
            ScenarioEvent(
                kind: .sending, time: .nanoseconds(time), step: step, key: "", note: mark.text, place: place(of: mark.send),
                sending: .state(mark)))
    }

    private func add(_ request: SentRequest, at time: Int64) {
        append(
            ScenarioEvent(
                kind: .request, time: .nanoseconds(time), step: step, key: "",
                note: "\(request.source) asked: \(request.send) \(request.id)", place: place(of: request.send), sending: .request(request)))
    }

    /// The line that declares a kind of send.
    private func place(of send: String) -> TextRange? { kinds.first { $0.name == send }?.places.range }

    /// A removal.
    func add(_ kind: ScenarioEvent.Kind, at time: Duration, key: String = "", _ report: RemovalReport) {
        let parts = report.lines.map { line in
            ScenarioEvent.Part(
                kind: .write, source: line.source, outcome: line.failure == nil ? "removed" : "failed", reason: line.failure, tries: 0)
        }
        add(kind, at: time, key: key, parts: parts)
    }

    /// A put.
    func add(_ kind: ScenarioEvent.Kind, at time: Duration, key: String, _ records: [WriteRecord]) {
        add(kind, at: time, key: key, parts: records.map { ScenarioEvent.Part($0) })
    }

    /// Fetches of one step. One line is enough for those that did the same.
    func add(_ fetches: [FinishedFetch], _ kind: ScenarioEvent.Kind, at time: Duration) {
        var shown: [(parts: [ScenarioEvent.Part], index: Int, count: Int)] = []
        for fetch in fetches {
            guard let outcome = fetch.outcome else {
                add(kind, at: time, note: fetch.error(redactor))
                continue
            }
            let parts = outcome.attempts.map { ScenarioEvent.Part($0) } + outcome.writes.map { ScenarioEvent.Part($0) }
            if fetches.count > 1 { further.add(parts.map(\.text).joined(separator: ", ")) }
            if let same = shown.firstIndex(where: { $0.parts == parts }) {
                shown[same].count += 1
                events[shown[same].index].took = max(events[shown[same].index].took, fetch.took)
                events[shown[same].index].note = "\(shown[same].count) of these"
                noteAttempts(of: outcome, event: shown[same].index)
                continue
            }
            let place = deciding.line(of: outcome)
            append(
                ScenarioEvent(
                    kind: kind, time: time, step: step, key: outcome.key.text, parts: parts, note: nil, place: place?.range,
                    placeWords: place?.words, took: fetch.took, failure: outcome.error?.kind, payload: (try? outcome.payload) ?? nil,
                    sends: outcome.sends, base: outcome.base))
            shown.append((parts, events.count - 1, 1))
            noteAttempts(of: outcome, event: events.count - 1)
        }
    }

    private func noteAttempts(of outcome: Outcome, event: Int) {
        for (index, attempt) in outcome.attempts.enumerated() { asked.append((outcome.key, TraceWord(attempt), event, index)) }
    }

    /// Adds what the engine told beside the fetches of the step: writes that come later, refreshes, evictions.
    ///
    /// - Parameter isQuiet: whether no fetch is under way, so that attempts left over are those of a load in the background.
    func note(_ raw: [(time: Int64, event: EventCollector.Event)], fetches: [FinishedFetch], isQuiet: Bool) {
        var known = fetches.compactMap(\.outcome).flatMap(\.writes).map { TraceWord($0.source, $0.outcome.rawValue) }
        // Those of a fetch that was started in an earlier step.
        if !asked.isEmpty { attempts.removeAll { time, attempt, key in takes(attempt, of: key, at: time) } }
        var writes: [(time: Int64, record: WriteRecord, key: Key)] = []
        for (time, event) in raw {
            switch event {
            case .attempt(let attempt, let key):
                if !takes(attempt, of: key, at: time) { attempts.append((time, attempt, key)) }
            case .write(let record, let key):
                if let index = known.firstIndex(of: TraceWord(record.source, record.outcome.rawValue)) {
                    known.remove(at: index)
                } else {
                    writes.append((time, record, key))
                }
            case .refresh(let outcome): addRefresh(outcome, at: time)
            case .request(let request): add(request, at: time)
            case .send(let status): add(status, at: time)
            case .feed(let event, let source):
                guard let words = event.words else { break }
                add(.feed, at: .nanoseconds(time), note: "\(source) \(words)", feed: ScenarioEvent.Feed(event, of: source))
            case .eviction(let source, let key):
                hasEvictions = true
                add(.evict, at: .nanoseconds(time), key: key?.text ?? "", note: "\(source) evicted \(key?.text ?? "a copy")")
            }
        }
        asked = []
        if isQuiet { addLeftovers() }
        // Of what happens at one moment the engine may do either first.
        for (time, record, key) in writes.sorted(by: { ($0.time, $0.record.source, $0.key.text) < ($1.time, $1.record.source, $1.key.text) }
        ) {
            let place = deciding.line(ofTier: record.source)
            let limit = [.written, .renewed].contains(record.outcome) ? limit(record.source, key) : nil
            append(
                ScenarioEvent(
                    kind: .write, time: .nanoseconds(time), step: step, key: key.text, parts: [ScenarioEvent.Part(record)],
                    note: limit.map { "fresh until \($0.spelling)" },
                    place: place?.range, placeWords: place?.words))
        }
    }

    private func addRefresh(_ outcome: Outcome, at time: Int64) {
        let key = outcome.key
        let parts = attempts.filter { $0.key == key }.map { ScenarioEvent.Part($0.attempt, at: $0.time) }
        attempts.removeAll { $0.key == key }
        let place = outcome.source.flatMap { deciding.line(ofTier: $0) }
        append(
            ScenarioEvent(
                kind: .refresh, time: .nanoseconds(time), step: step, key: key.text, parts: parts, note: nil, place: place?.range,
                placeWords: place?.words))
    }

    /// One line for what was asked for a key at one moment.
    private func addLeftovers() {
        let left = attempts
        attempts = []
        var first = left.startIndex
        while first < left.endIndex {
            let (time, _, key) = left[first]
            let next = left[first...].firstIndex { $0.time != time || $0.key != key } ?? left.endIndex
            let parts = left[first..<next].map { ScenarioEvent.Part($0.attempt, at: $0.time) }
            var event = ScenarioEvent(kind: .refresh, time: .nanoseconds(time), step: step, key: key.text, parts: parts)
            event.isOfPart = !key.pipeline.utf8.elementsEqual(pipeline.utf8)
            append(event)
            first = next
        }
    }

    /// Indicates whether the attempt is one of a fetch that was added, which is counted off, and told with its time.
    ///
    /// The outcome may tell it in another word: a copy that was expired and is served after all is `stale`. A tier that a refresh skips
    /// meanwhile is no attempt of the fetch.
    private func takes(_ attempt: Attempt, of key: Key, at time: Int64) -> Bool {
        let word = TraceWord(attempt)
        let same = asked.indices.filter { asked[$0].word.source == word.source && asked[$0].key == key }
        func isSkipped(_ word: TraceWord) -> Bool { word.outcome == Attempt.Outcome.skipped.rawValue }
        let index = same.first { asked[$0].word == word } ?? same.first { isSkipped(asked[$0].word) == isSkipped(word) }
        guard let index else { return false }
        let place = asked.remove(at: index)
        let moment = Duration.nanoseconds(time)
        if moment >= events[place.event].time { events[place.event].parts[place.part].time = moment }
        return true
    }

    private func append(_ event: ScenarioEvent) {
        var event = event
        event.key = redactor.redacted(event.key)
        event.note = event.note.map(redactor.redacted)
        for index in event.parts.indices { event.parts[index].reason = event.parts[index].reason.map(redactor.redacted) }
        if event.kind.isTold {
            told += 1
            guard told <= Self.mostTold else { return further.add("\(event.time.saturatedNanoseconds) \(event.text) \(event.key)") }
        }
        events.append(event)
    }
}

extension ScenarioEvent.Kind {
    /// Indicates whether the engine does it by itself, as often as the time of one step allows.
    var isTold: Bool { [.refresh, .write, .evict, .feed, .request, .sending].contains(self) }
}

extension Outcome {
    /// The value without what sends have laid over it; nil without one.
    fileprivate var base: [UInt8]? {
        if let under = detail?.under { return under.entry?.payload }
        return (try? payload) ?? nil
    }
}

extension ScenarioEvent.Feed {
    fileprivate init?(_ event: FeedEvent, of source: String) {
        guard case .state(let status, _) = event else { return nil }
        self = .state(source: source, status.state)
    }
}

extension FeedEvent {
    /// The event of the feed, for people; nil for one that a story leaves out.
    fileprivate var words: String? {
        switch self {
        case .state(let status, _): "\(status.state.rawValue)" + (status.reason.map { " (\($0))" } ?? "")
        case .skipped(_, let reason): "skipped a message (\(reason))"
        case .dropped(_, let reason): "dropped a change (\(reason))"
        case .synced: "synced"
        case .messages, .reconnect: nil
        }
    }
}

/// A number of 64 bits for a text, equal in every process: FNV-1a.
package struct TraceDigest: Sendable {
    package private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    package init() {}

    package mutating func add(_ text: String) {
        for byte in text.utf8 { add(byte) }
        // So that two texts differ from one.
        add(0)
    }

    package mutating func add(_ byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 0x100_0000_01b3
    }
}

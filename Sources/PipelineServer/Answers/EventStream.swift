internal import NIOHTTP1
internal import Pipeline
import PipelineComposing
internal import PipelineJSON
import PipelineLive
import Synchronization

/// A value as it changes, as the events of an event stream.
///
/// The next snapshot is asked for when the client has taken the last event: a client that does not read holds one value, and then gets the
/// newest.
struct EventStream: Sendable {
    /// The content of the events.
    enum Output: String {
        /// The value.
        case value
        /// The changes of the value.
        case changes
    }

    let snapshots: Snapshots
    let output: Output
    let format: PayloadFormat
    /// Stands before the revisions of a snapshot: those of another life of the server, the pipeline or the key are others.
    let epoch: @Sendable (Snapshot) -> String
    /// The id of the last event that the client got before; nil for none.
    let lastID: String?
    /// Indicates whether the value is made from others, of which some can be lacking.
    let isCombined: Bool
    /// The texts that other clients are sent.
    let texts: StreamTexts
    /// Masks all but values.
    let redactor: Redactor

    /// The media type.
    static let contentType = "text/event-stream"

    /// Hands over each event, until the pipeline ends or the task is cancelled.
    func run(_ take: (StreamEvent) async -> Void) async {
        var feeds: [FeedStatus] = []
        // What the client was told last that its value lacks. Nil while it may have been told anything, by an earlier stream.
        var lacking: [String]? = isCombined && lastID != nil ? nil : []
        var revision: UInt64 = 0
        var isFirst = true
        for await snapshot in snapshots {
            let id = "\(epoch(snapshot))-\(snapshot.revision)"
            let isKnown = isFirst && id == lastID
            let places = IncompleteField.places(snapshot.status.parts, isComplete: snapshot.status.isComplete)
            if isKnown { (revision, feeds, lacking) = (snapshot.revision, snapshot.status.feeds, places) }
            isFirst = false
            // Before the value that lacks it. Before the first value nothing is known of what it will lack.
            if places != lacking, lacking != nil || snapshot.revision != revision {
                lacking = places
                await take(StreamEvent("incomplete", telling: .array(places.map { .string($0) }), masking: redactor))
            }
            if snapshot.revision != revision {
                let name = "\(snapshot.key.text) \(output) \(snapshot.changes.isReset ? 0 : revision) \(id)"
                await texts.withEvents(name, { events(of: snapshot, id: id) }, take)
                revision = snapshot.revision
            }
            if snapshot.status.feeds != feeds {
                feeds = snapshot.status.feeds
                await take(StreamEvent("status", telling: Envelope.live(feeds), masking: redactor))
            }
        }
    }

    /// The events of a snapshot; the client is at `id` with the last of them.
    private func events(of snapshot: Snapshot, id: String) -> [StreamEvent] {
        switch output {
        case .value: return [StreamEvent("value", data: snapshot.entry?.payload ?? Self.nothing, id: id)]
        case .changes:
            let lines = ChangeLine.lines(of: snapshot, format: format)
            return lines.enumerated().map { index, line in
                StreamEvent("change", data: Array(line.utf8), id: index == lines.count - 1 ? id : nil)
            }
        }
    }

    /// The text in place of a value that there is not.
    private static let nothing = Array("null".utf8)

    /// Indicates whether a client asks for an event stream rather than for anything else that it names (RFC 9110, section 12.5.1).
    static func isWanted(_ headers: HTTPHeaders) -> Bool {
        var (wanted, other) = (0.0, 0.0)
        for range in headers[canonicalForm: "accept"] {
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            if parts.first == contentType { wanted = weight } else if parts.first?.contains("*") == false { other = max(other, weight) }
        }
        return wanted > 0 && wanted >= other
    }
}

/// An event of an event stream (WHATWG HTML, "Server-sent events"), made into bytes piece by piece: its data is the value itself, which all who
/// read it share.
struct StreamEvent: Sendable {
    private let data: [UInt8]
    private var head: [UInt8]
    private var offset = 0
    private var isAtEnd = false
    /// Indicates whether the last byte that was looked at is a carriage return: a line feed behind it ends the same line.
    private var isAfterReturn = false

    /// - Parameter id: what the client is at when it has the event; nil keeps what it is at.
    init(_ name: String, data: [UInt8], id: String? = nil) {
        self.data = data
        head = Array("event: \(name)\n\(id.map { "id: \($0)\n" } ?? "")data: ".utf8)
    }

    /// An event that is no value: what is secret in its texts is masked.
    init(_ name: String, telling text: JSONText, masking redactor: Redactor) {
        self.init(name, data: Array(redactor.redacted(document: text.text).utf8))
    }

    /// A line that clients ignore.
    static let comment = StreamEvent(comment: ":\n\n")

    private init(comment: String) {
        data = []
        head = Array(comment.utf8)
        isAtEnd = true
    }

    /// The next bytes, made of at most `limit` bytes of the data; nil at the end.
    mutating func nextPiece(limit: Int) -> [UInt8]? {
        var piece = head
        head = []
        guard !isAtEnd else { return piece.isEmpty ? nil : piece }
        let end = min(offset + limit, data.count)
        for byte in data[offset..<end] {
            switch byte {
            case UInt8(ascii: "\n") where isAfterReturn: break
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): piece += Self.lineEnd
            default: piece.append(byte)
            }
            isAfterReturn = byte == UInt8(ascii: "\r")
        }
        offset = end
        isAtEnd = end == data.count
        if isAtEnd { piece += Array("\n\n".utf8) }
        return piece
    }

    private static let lineEnd = Array("\ndata: ".utf8)
}

/// The events that clients of event streams are being sent: one text for all that go from one value to the next, as long as one of them has not
/// taken it.
final class StreamTexts: Sendable {
    /// A text that is made once.
    private final class Text: Sendable {
        let events: Task<[StreamEvent], Never>

        init(_ make: @escaping @Sendable () -> [StreamEvent]) {
            // Ends when it is made: in proportion to the value.
            events = Task { make() }
        }
    }

    /// A text that goes when no client needs it any more.
    private struct Place {
        weak var text: Text?
    }

    private let places = Mutex<[String: Place]>([:])

    /// Hands the events called `name` to `take`, which nobody makes again until the last one has taken them.
    ///
    /// - Parameter name: equal names are of equal events.
    func withEvents(
        _ name: String, _ make: @escaping @Sendable () -> [StreamEvent], _ take: (StreamEvent) async -> Void
    ) async {
        let text = places.withLock { places in
            if let known = places[name]?.text { return known }
            let text = Text(make)
            places = places.filter { $0.value.text != nil }
            places[name] = Place(text: text)
            return text
        }
        for event in await text.events.value { await take(event) }
        withExtendedLifetime(text) {}
    }
}

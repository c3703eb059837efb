internal import NIOHTTP1
internal import Pipeline
internal import PipelineJSON

/// A value as it changes, as the events of an event stream.
///
/// The next snapshot is asked for when the client has taken the last event: a client that does not read holds one value, and then gets the
/// newest.
struct EventStream: Sendable {
    /// What the events tell.
    enum Output: String {
        /// The value.
        case value
        /// What changed in it.
        case changes
    }

    let snapshots: Snapshots
    let output: Output
    let format: PayloadFormat
    /// Stands before the revisions of a snapshot: those of another life of the server, the pipeline or the key are others.
    let epoch: @Sendable (Snapshot) -> String
    /// The id of the last event that the client got before; nil for none.
    let lastID: String?
    /// Whether the value is made from others, of which some can be lacking.
    let isCombined: Bool
    /// What other clients are sent.
    let texts: StreamTexts

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
                await take(StreamEvent("incomplete", data: Array(JSONText.array(places.map { .string($0) }).text.utf8)))
            }
            if snapshot.revision != revision {
                let name = "\(snapshot.key.text) \(output) \(snapshot.changes.isReset ? 0 : revision) \(id)"
                await texts.withEvents(name, { events(of: snapshot, id: id) }, take)
                revision = snapshot.revision
            }
            if snapshot.status.feeds != feeds {
                feeds = snapshot.status.feeds
                await take(StreamEvent("status", data: Array(Envelope.live(feeds).text.utf8)))
            }
        }
    }

    /// The client is at `id` with the last of them.
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

    /// What stands for a value that there is not.
    private static let nothing = Array("null".utf8)

    /// Whether a client asks for an event stream rather than for anything else that it names (RFC 9110, section 12.5.1).
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

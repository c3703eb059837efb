import PipelineJSON

@testable import Pipeline
@testable import PipelineLive

/// A value with a feed, for tests: texts instead of bytes, seconds instead of moments.
struct Merging {
    var value: MergedValue
    let reader: ChangeReader
    var now = Timestamp(nanoseconds: 1_000_000_000_000)

    init(_ policy: MergePolicy = .friends(), overlap: Duration = .zero, value: String? = nil) {
        self.value = MergedValue(policy, overlap: overlap)
        reader = ChangeReader(FeedSpec(.stub, merging: policy, overlap: overlap))
        if let value { land(value) }
    }

    /// The value as text.
    var text: String? { value.contents.joined()?.payload.map { String(decoding: $0, as: UTF8.self) } }

    mutating func send(_ text: String, event: String? = nil) -> MergeEffect? {
        guard case .change(let change) = reader.read(LiveMessage(Array(text.utf8), event: event)).meaning else { return nil }
        return value.apply(change, at: now)
    }

    /// Begins a load and lands it.
    @discardableResult
    mutating func land(_ text: String) -> Landing? {
        let mark = begin()
        return land(text, mark)
    }

    @discardableResult
    mutating func land(_ text: String, _ mark: LoadMark) -> Landing? { value.land(entry(text), mark, at: now) }

    mutating func begin() -> LoadMark { value.beginAsking(at: now) }

    mutating func pass(_ seconds: Double) { now = now + .seconds(seconds) }

    func entry(_ text: String) -> Entry { Entry(Array(text.utf8), created: now) }
}

extension MergedValue {
    mutating func land(_ entry: Entry, _ mark: LoadMark, at moment: Timestamp) -> Landing? {
        land(CutEntry(entry, for: policy), mark, at: moment)
    }

    mutating func adopt(_ entry: Entry) -> Landing? { adopt(CutEntry(entry, for: policy)) }

    mutating func put(_ entry: Entry, at moment: Timestamp) { put(CutEntry(entry, for: policy), at: moment) }
}

extension SourceSpec {
    /// A change source that says nothing.
    static let stub = SourceSpec("events", SilentSource())
}

extension MergePolicy {
    /// Friends with `id`, `v` and `name`: `{"op": …, "friend": {…}}`.
    static func friends(
        list: String = "", version: String? = nil, insertion: Insertion = .last, id: [String] = ["/id"]
    ) -> MergePolicy {
        MergePolicy(
            list: JSONPointer(list) ?? .whole, item: JSONPointer("/friend") ?? .whole, id: id.compactMap { JSONPointer($0) },
            operations: Operations(
                at: .pointer(JSONPointer("/op") ?? .whole), upsert: ["added", "updated"], delete: ["removed"], patch: ["renamed"]),
            version: version.flatMap { JSONPointer($0) }, insertion: insertion)
    }
}

private struct SilentSource: LiveSource {
    func channel(for key: Key) -> String { "" }

    func listen(for key: Key, to listener: LiveListener) async throws -> LiveEnding { LiveEnding(.ended, "nothing to say") }
}

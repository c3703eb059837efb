import PipelineJSON
struct LoadMark: Sendable {}
struct ListChange: Sendable {}
struct MergedContents: Sendable { var created: Timestamp; var isNotFound: Bool; func joined() -> Entry? { nil }; func element(_ id: String) -> [UInt8]? { nil } }
struct MergedValue: Sendable {
    enum Effect: Sendable { case changed, unchanged, kept, dropped, refresh, failed(String), overflow }
    init(_ policy: MergePolicy, overlap: Duration) {}
    var revision: UInt64 { 0 }
    var contents: MergedContents? { nil }
    func changes(since: UInt64) -> ListChanges { .reset }
    mutating func beginLoad(at: Timestamp) -> LoadMark { LoadMark() }
    mutating func endLoad(_ m: LoadMark) {}
    mutating func land(_ e: Entry, _ m: LoadMark, at: Timestamp) -> Entry? { e }
    mutating func adopt(_ e: Entry, at: Timestamp) {}
    mutating func put(_ e: Entry, at: Timestamp) {}
    mutating func void() {}
    mutating func apply(_ c: ListChange, at: Timestamp) -> Effect { .changed }
}
struct ChangeReader: Sendable {
    struct Reading: Sendable { enum Content: Sendable { case invalid(String), refresh, change(ListChange) }; var sequence: Int64?; var isResync: Bool; var content: Content; var address: [String] }
    init(_ spec: FeedSpec) {}
    func read(_ message: LiveMessage) -> Reading { Reading(sequence: nil, isResync: false, content: .refresh, address: []) }
}

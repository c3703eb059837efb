import PipelineLive
import PipelineScenarios
import PipelineTesting

@testable import Pipeline

/// A server with a list of items, each with a version, and the messages about its changes. The play says what becomes of these.
final class LiveServer: @unchecked Sendable {  // Only its loop's thread touches it.
    private struct Message {
        let number: Int
        let text: String
        let sent: Int64
        /// For one of a delete.
        let deleted: (id: Int, version: Int)?
    }

    /// A delete of which a message arrived, and the revision of the value then.
    struct Deletion {
        let version: Int
        let revision: UInt64
    }

    /// A pipeline knows for a minute that an item was deleted: no message is older when it arrives.
    private static let oldest: Int64 = 50_000_000_000

    let events: LiveStub
    private let features: LivePlay.Features
    private let time: SimulatedClock
    /// The version of each item.
    private(set) var items: [Int: Int] = [:]
    /// What the pipeline knows to be deleted.
    private(set) var deletions: [Int: [Deletion]] = [:]
    /// The present revision of the pipeline's value.
    var revision: () -> UInt64 = { 0 }
    private var version = 0
    /// How many lists were given or put: each has the next number.
    private(set) var number = 0
    var isFailing = false
    private var messages: [Message] = []
    private var onTheWay: [Message] = []
    private var delivered: [Message] = []
    private var begun: LiveStubConnection?
    /// The number that arrived last. Without one, none that is missing shows.
    private var lastNumber: Int?

    init(_ features: LivePlay.Features, _ time: SimulatedClock) {
        (self.features, self.time) = (features, time)
        events = LiveStub(resumes: features.resumes)
    }

    /// The open connection, once its stream has begun.
    private var stream: LiveStubConnection? { begun.flatMap { $0.isOpen ? $0 : nil } }

    var isConnected: Bool { stream != nil }
    var isQuiet: Bool { onTheWay.isEmpty }

    /// The list as it is now.
    func list() throws -> [UInt8] {
        if isFailing { throw SourceError("the server fails") }
        return numbered(items.sorted { $0.key < $1.key })
    }

    /// A list that the server never had.
    func otherList() -> [UInt8] { numbered([(0, 0), (1, 0)]) }

    private func numbered(_ items: [(key: Int, value: Int)]) -> [UInt8] {
        number += 1
        let elements = items.map { Self.item($0.key, $0.value) }.joined(separator: ",")
        return Array("{\"number\":\(number),\"items\":[\(elements)]}".utf8)
    }

    private static func item(_ id: Int, _ version: Int) -> String { "{\"id\":\(id),\"v\":\(version)}" }

    func write(_ id: Int) {
        version += 1
        items[id] = version
        send("set", Self.item(id, version))
    }

    func delete(_ id: Int) {
        guard items.removeValue(forKey: id) != nil else { return }
        version += 1
        send("gone", Self.item(id, version), deleting: (id, version))
    }

    private func send(_ word: String, _ item: String, deleting deleted: (id: Int, version: Int)? = nil) {
        let number = messages.count + 1
        let text = "{\"op\":\"\(word)\",\"s\":\(number),\"item\":\(item)}"
        messages.append(Message(number: number, text: text, sent: time.now, deleted: deleted))
        // Without a connection it is lost, unless the next one goes on where the last ended.
        if stream != nil { onTheWay.append(messages[number - 1]) }
    }
}

extension LiveServer {
    /// The stream of the newest connection begins.
    func begin() {
        guard let last = events.connections.last, last.isOpen, last !== begun else { return }
        begun = last
        if last.position == nil { lastNumber = nil }
        onTheWay = last.position.flatMap { Int($0) }.map { Array(messages[$0...]) } ?? []
        last.begin()
    }

    /// The connection is lost, with all that is on its way.
    func drop() {
        onTheWay = []
        // Without versions nothing tells a message of the old connection from a new one.
        if !features.hasVersions { delivered = [] }
        events.connections.last?.end(LiveEnding(.lost, "dropped"))
    }

    /// The next messages arrive.
    func deliver(_ count: Int) {
        for _ in 0..<min(count, onTheWay.count) {
            let message = onTheWay.removeFirst()
            arrive(message)
            if features.resumes { stream?.mark("\(message.number)") }
        }
    }

    func deliverAll() { deliver(onTheWay.count) }

    /// A message arrives before others, and once more in its turn.
    func deliverEarly(_ index: Int) {
        guard features.hasVersions, !features.resumes, !onTheWay.isEmpty else { return }
        arrive(onTheWay[index % onTheWay.count])
    }

    /// A message arrives once more. Without versions that can be the last one only.
    func deliverAgain(_ index: Int) {
        delivered.removeAll { $0.sent + Self.oldest < time.now }
        guard let last = delivered.last, isConnected else { return }
        arrive(features.hasVersions ? delivered[index % delivered.count] : last)
    }

    /// A message never arrives. Its number is missed, or another message says that the list must be loaded again.
    func lose(_ index: Int) {
        guard !onTheWay.isEmpty else { return }
        onTheWay.remove(at: index % onTheWay.count)
        if !features.hasSequence || lastNumber == nil { send("reset", "{}") }
    }

    /// Messages that would be too old at `moment` arrive.
    func deliver(before moment: Int64) {
        if let first = onTheWay.first, first.sent + Self.oldest < moment { deliverAll() }
    }

    /// The pipeline forgets which versions it knows: no message comes once more.
    func forgetDelivered() {
        (delivered, deletions) = ([], [:])
    }

    private func arrive(_ message: Message) {
        stream?.send(message.text)
        delivered.append(message)
        defer { lastNumber = message.number }
        // An equal number is dropped.
        if features.hasSequence, message.number == lastNumber { return }
        if let (id, version) = message.deleted { deletions[id, default: []].append(Deletion(version: version, revision: revision())) }
    }
}

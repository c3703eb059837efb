import PipelineJSON
import PipelineTesting
import TestSupport

@testable import Pipeline
@testable import PipelineLive

/// A server's list with its messages, played against a ``MergedValue`` and an observer of it.
struct MergePlay: Replayable, CustomStringConvertible {
    enum Step: Equatable {
        case write(Int), delete(Int), begin, land(Int), fail(Int), deliver(Int), double(Int), lose
        case put, remove, adopt, observe, pass
    }

    var isVersioned: Bool
    var isSorted: Bool
    var steps: [Step]

    static func random(seed: UInt64, steps: Int) -> MergePlay {
        var numbers = SplitMix64(seed: seed)
        let kinds = (numbers.chance(50), numbers.chance(50))
        return MergePlay(isVersioned: kinds.0, isSorted: kinds.1, steps: (0..<steps).map { _ in .random(&numbers) })
    }

    var description: String {
        "versioned: \(isVersioned), sorted: \(isSorted)\n" + steps.map { "\($0)" }.joined(separator: "\n")
    }

    /// What is wrong, and after how many steps; nil when nothing is.
    var problem: (String, Int)? {
        var world = MergeWorld(isVersioned: isVersioned, isSorted: isSorted)
        for (number, step) in steps.enumerated() {
            world.play(step)
            if let problem = world.problem { return (problem, number + 1) }
        }
        return nil
    }

    var simpler: [MergePlay] { isSorted ? [MergePlay(isVersioned: isVersioned, isSorted: false, steps: steps)] : [] }
}

extension MergePlay.Step {
    static func random(_ numbers: inout SplitMix64) -> MergePlay.Step {
        let id = numbers.below(6)
        switch numbers.below(100) {
        case ..<26: return .write(id)
        case ..<34: return .delete(id)
        case ..<42: return .begin
        case ..<52: return .land(id)
        case ..<54: return .fail(id)
        case ..<80: return .deliver(id)
        case ..<84: return .double(id)
        case ..<86: return .lose
        case ..<88: return .put
        case ..<89: return .remove
        case ..<91: return .adopt
        case ..<97: return .observe
        default: return .pass
        }
    }
}

/// The truth, what is on its way, and what is made of it.
private struct MergeWorld {
    private struct Item: Equatable { var version: Int, key: Int }
    private struct Message { var id: Int, item: Item, isDelete: Bool }
    /// An answer is cut when it comes, and lands later: changes come between.
    private struct Load { var mark: LoadMark, answer: CutEntry, began: Int }

    private let isVersioned: Bool
    private let isSorted: Bool
    private var value: MergedValue
    private var now = Timestamp(nanoseconds: 0)
    private var truth: [Int: Item] = [:]
    private var written = 0
    private var sent: [Message] = []
    private var delivered: [Message] = []
    private var loads: [Load] = []
    private var time = 0
    // When a message was lost or the value was made by hand last, and when the load began that landed last.
    private var doubted = 0
    private var landed: Int?
    // With versions: what no element may be older than.
    private var floors: [Int: Int] = [:]
    private var seen = MergedContents()
    private var mirror: [(id: String, item: [UInt8])]?
    private(set) var problem: String?

    init(isVersioned: Bool, isSorted: Bool) {
        (self.isVersioned, self.isSorted) = (isVersioned, isSorted)
        let key = JSONPointer("/k") ?? .whole
        value = MergedValue(
            MergePolicy(
                id: [JSONPointer("/id") ?? .whole], version: isVersioned ? JSONPointer("/v") : nil,
                insertion: isSorted ? .sorted(key, isDescending: false) : .last))
    }

    mutating func play(_ step: MergePlay.Step) {
        time += 1
        switch step {
        case .write(let id):
            written += 1
            truth[id] = Item(version: written, key: written * 7 % 5)
            sent.append(Message(id: id, item: truth[id] ?? Item(version: 0, key: 0), isDelete: false))
        case .delete(let id):
            guard truth.removeValue(forKey: id) != nil else { return }
            written += 1
            sent.append(Message(id: id, item: Item(version: written, key: 0), isDelete: true))
        case .begin:
            let mark = value.beginAsking(at: now)
            loads.append(Load(mark: mark, answer: CutEntry(Entry(Array(list.utf8), created: now), for: value.policy), began: time))
        case .land(let index): land(index)
        case .fail(let index):
            guard let load = remove(&loads, index) else { return }
            value.endAsking(load.mark, at: now)
        case .deliver(let index):
            // Without versions the order of arrival is the order in which they were written.
            guard let message = remove(&sent, isVersioned ? index : 0) else { return }
            deliver(message)
        case .double(let index):
            guard let message = isVersioned ? pick(delivered, index) : delivered.last else { return }
            deliver(message)
        case .lose:
            // A connection that drops loses all that is on its way.
            guard !sent.isEmpty else { return }
            sent = []
            // Without versions nothing tells a message of the old connection from a new one.
            if !isVersioned { delivered = [] }
            doubted = time
        case .put, .adopt:
            let entry = CutEntry(Entry(Array(#"[{"id":0,"v":0,"k":0},{"id":1,"v":0,"k":1}]"#.utf8), created: now), for: value.policy)
            if step == .put { value.put(entry, at: now) } else if value.adopt(entry) == nil { return }
            doubt()
        case .remove:
            value.void()
            // It forgets the versions of what was deleted, so that an older message that is still on its way would count as new.
            sent = []
            doubt()
        case .observe: observe()
        case .pass: now = now + .milliseconds(100)
        }
        check()
    }

    private func pick<Element>(_ elements: [Element], _ index: Int) -> Element? {
        elements.isEmpty ? nil : elements[index % elements.count]
    }

    private func remove<Element>(_ elements: inout [Element], _ index: Int) -> Element? {
        elements.isEmpty ? nil : elements.remove(at: index % elements.count)
    }

    private mutating func doubt() {
        doubted = time
        floors = [:]
        // What was sent may have been merged before, and is not merged again.
        delivered = []
    }

    private static func text(_ id: Int, _ item: Item) -> String { #"{"id":\#(id),"v":\#(item.version),"k":\#(item.key)}"# }

    private var list: String {
        let items = truth.sorted { isSorted ? ($0.value.key, $0.key) < ($1.value.key, $1.key) : $0.key < $1.key }
        return "[" + items.map { Self.text($0.key, $0.value) }.joined(separator: ",") + "]"
    }

    private mutating func land(_ index: Int) {
        guard let load = remove(&loads, index) else { return }
        if value.land(load.answer, load.mark, at: now) != nil { landed = load.began }
    }

    private mutating func deliver(_ message: Message) {
        let version = isVersioned ? ItemVersion.number(JSONNumber(Array("\(message.item.version)".utf8)[...])) : nil
        let item = Array(Self.text(message.id, message.item).utf8)
        let change = Change(message.isDelete ? .delete : .upsert, ItemID("\(message.id)"), item, version: version)
        if value.apply(change, at: now) == .dropped { return }
        delivered.append(message)
        if isVersioned { floors[message.id] = max(floors[message.id] ?? 0, message.item.version) }
    }

    /// The observer applies what it is told to what it has.
    private mutating func observe() {
        let contents = value.contents
        let changes = contents.changes(since: mirror == nil ? nil : seen)
        if changes.isReset { mirror = items(of: contents) }
        for change in changes.changes {
            switch change.operation {
            case .delete: mirror?.removeAll { $0.id == change.id }
            case .update: mirror = mirror?.map { $0.id == change.id ? ($0.id, change.item ?? []) : $0 }
            case .insert(let at):
                guard let count = mirror?.count, at <= count else { return problem = "an insert at \(at) of \(mirror?.count ?? 0)" }
                mirror?.insert((change.id, change.item ?? []), at: at)
            }
        }
        seen = contents
        let expected = items(of: contents)
        if !(mirror ?? []).elementsEqual(expected, by: { $0.id == $1.id && $0.item == $1.item }) {
            problem = "an observer has \(words(mirror ?? [])) instead of \(words(expected)) after \(changes)"
        }
    }

    private func items(of contents: MergedContents) -> [(id: String, item: [UInt8])] {
        contents.list?.elements.map { ($0.id?.text ?? "", $0.bytes) } ?? []
    }

    private func words(_ items: [(id: String, item: [UInt8])]) -> String {
        items.map { String(decoding: $0.item, as: UTF8.self) }.joined(separator: " ")
    }

    private mutating func check() {
        guard problem == nil, let entry = value.contents.joined() else { return }
        let elements = items(of: value.contents)
        let joined = "[" + elements.map { String(decoding: $0.item, as: UTF8.self) }.joined(separator: ",") + "]"
        let text = String(decoding: entry.payload ?? [], as: UTF8.self)
        if text != joined { return problem = "joined \(text) of \(joined)" }
        for (id, item) in elements {
            if value.contents.element(id) != item { return problem = "\(id) is not found" }
            let version = JSONScanner.scalar(at: JSONPointer("/v") ?? .whole, in: item)?.text
            guard isVersioned, let id = Int(id), let version = version.flatMap({ Int($0) }) else { continue }
            if version < floors[id] ?? 0 { return problem = "\(id) is \(version) again after \(floors[id] ?? 0)" }
            floors[id] = version
        }
        guard sent.isEmpty, let landed, landed > doubted else { return }
        let expected = truth.map { Self.text($0.key, $0.value) }.sorted()
        if elements.map({ String(decoding: $0.item, as: UTF8.self) }).sorted() != expected {
            problem = "quiet, and \(text) instead of \(list)"
        }
    }
}

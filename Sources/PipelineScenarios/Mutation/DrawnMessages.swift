internal import Pipeline
internal import PipelineConfig
internal import PipelineJSON
import PipelineLive

/// Messages of one feed, and lists of items that they are about, drawn at random.
struct DrawnMessages {
    let source: String
    private let feed: FeedConfig
    private let arguments: NamedValues<ScenarioText>
    /// The number of the last message.
    private var sequence = 0

    init(_ plan: FeedPlan, with arguments: NamedValues<ScenarioText>) {
        (source, feed) = (plan.source.name, plan.feed)
        self.arguments = arguments
    }

    /// The way in which messages are merged into lists; nil if they are not.
    var merging: MergePolicy? { feed.merging }

    /// A message about one of the items.
    mutating func message(_ number: Int, _ random: inout RandomGenerator) -> RandomStep {
        guard let merging = feed.merging else { return .message(source, finished(JSONTree.members([]), &random).text, event: nil) }
        let word = merging.drawnOperations.randomElement(using: &random)?.word
        let id = Int.random(in: MergePolicy.drawnIDs, using: &random)
        var item = merging.drawnItem(id, number, &random)
        if merging.id.isEmpty { item = .members([("\(id)", item)]) }
        var message = JSONTree.members([])
        message.set(item, at: merging.item.tokens[...])
        var event: String?
        if let word {
            switch merging.operations?.place {
            case .pointer(let place): message.set("\"\(JSONText.escaped(word))\"", at: place.tokens[...])
            case .event, nil: event = word
            }
        }
        return .message(source, finished(message, &random).text, event: event)
    }

    /// Adds to a message whom it is for, its number, and now and then what asks for the list.
    private mutating func finished(_ message: JSONTree, _ random: inout RandomGenerator) -> JSONTree {
        var message = message
        for (parameter, place) in feed.addressing.sorted(by: { $0.key < $1.key }) {
            let isOther = Int.random(in: 0..<4, using: &random) == 0
            let value = isOther ? "another" : arguments[parameter]?.text ?? ""
            message.set("\"\(JSONText.escaped(value))\"", at: place.tokens[...])
        }
        if let place = feed.sequence {
            sequence += [0, 1, 1, 1, 1, 2].randomElement(using: &random) ?? 1
            message.set("\(sequence)", at: place.tokens[...])
        }
        if let resync = feed.resync, Int.random(in: 0..<6, using: &random) == 0 {
            for (place, text) in resync.members.sorted(by: { $0.key.description < $1.key.description }) {
                message.set("\"\(JSONText.escaped(text))\"", at: place.tokens[...])
            }
        }
        return message
    }
}

extension MergePolicy {
    /// The ids of items that are drawn.
    static let drawnIDs = 1...3

    /// A list whose items have `number`.
    func drawnList(_ number: Int, _ random: inout RandomGenerator) -> String {
        let ids = Self.drawnIDs.filter { _ in Int.random(in: 0..<3, using: &random) > 0 }
        let items = ids.map { (id: $0, item: drawnItem($0, number, &random)) }
        let isKeyed = id.isEmpty
        let elements = items.map { isKeyed ? "\"\($0.id)\":\($0.item.text)" : $0.item.text }.joined(separator: ",")
        return JSONTree.holding(isKeyed ? "{\(elements)}" : "[\(elements)]", at: list).text
    }

    /// An item that has `number`.
    ///
    /// - Parameter id: nil for an item without an id.
    func drawnItem(_ id: Int?, _ number: Int, _ random: inout RandomGenerator) -> JSONTree {
        var item = JSONTree.members([])
        if let id { for place in self.id { item.set("\(id)", at: place.tokens[...]) } }
        if case .sorted(let place, _) = insertion { item.set("\(Int.random(in: 1...3, using: &random))", at: place.tokens[...]) }
        if let place = version { item.set("\(Int.random(in: 1...4, using: &random))", at: place.tokens[...]) }
        item.set("\(number)", at: ["n"])
        return item
    }
}

/// A JSON value as far as it has been made.
indirect enum JSONTree {
    case text(String)
    case members([(name: String, value: JSONTree)])

    /// `text` at `place` of a value that has nothing else.
    static func holding(_ text: String, at place: JSONPointer) -> JSONTree {
        var tree = JSONTree.members([])
        tree.set(text, at: place.tokens[...])
        return tree
    }

    mutating func set(_ text: String, at path: ArraySlice<String>) { set(.text(text), at: path) }

    mutating func set(_ value: JSONTree, at path: ArraySlice<String>) {
        guard let name = path.first else { return merge(value) }
        var all: [(name: String, value: JSONTree)] = if case .members(let members) = self { members } else { [] }
        let index = all.firstIndex { $0.name == name } ?? all.count
        if index == all.count { all.append((name, .members([]))) }
        all[index].value.set(value, at: path.dropFirst())
        self = .members(all)
    }

    /// Members are added to those that are there; anything else takes their place.
    private mutating func merge(_ value: JSONTree) {
        guard case .members(let members) = value, case .members = self else {
            self = value
            return
        }
        for (name, value) in members { set(value, at: [name]) }
    }

    var text: String {
        switch self {
        case .text(let text): text
        case .members(let members): "{" + members.map { "\"\(JSONText.escaped($0.name))\":\($0.value.text)" }.joined(separator: ",") + "}"
        }
    }
}

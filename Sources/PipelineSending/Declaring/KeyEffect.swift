import Pipeline
import PipelineJSON
import PipelineLive

/// What a send does to the value of one key.
struct KeyEffect: Sendable {
    let key: Key
    let change: SendChange
    /// The id of the item; nil for what changes no item.
    let id: ItemID?
    /// The item of the payload, with its temporary id if the origin gives it one; the whole payload for ``SendChange/Operation/replace``.
    let item: [UInt8]
    /// Indicates whether the id is a temporary one.
    var isTemporary = false

    /// What readers see of it before the origin has it; nil for nothing.
    var layer: Overlay.Layer? {
        switch change.operation {
        case .refresh: nil
        case .replace: .value(item)
        case .upsert: id.map { .change(Change(.upsert, $0, item, insertion: insertion)) }
        case .patch: id.map { .change(Change(.patch, $0, item)) }
        case .delete: id.map { .change(Change(.delete, $0, [])) }
        }
    }

    /// The place of a new item: what a feed leaves to a load goes to the end.
    private var insertion: MergePolicy.Insertion? {
        switch change.merging?.insertion {
        case .refresh, .ignore, nil: .last
        case let insertion?: insertion
        }
    }

    /// The change of the value once the origin has made it.
    ///
    /// - Parameters:
    ///   - answer: the item as the origin's answer has it; nil if that has none.
    ///   - made: the id that the origin gave; nil if it gave none.
    func made(_ answer: [UInt8]?, id made: String?) -> Change? {
        guard let id else { return nil }
        let name = made.flatMap { text in JSONScalar(Array(text.utf8), at: 0..<text.utf8.count)?.text }
        switch change.operation {
        case .refresh, .replace: return nil
        case .delete: return Change(.delete, id, [])
        case .patch: return Change(.patch, id, answer ?? item)
        case .upsert:
            if isTemporary, made == nil, answer == nil { return nil }
            var item = answer ?? item
            if isTemporary, answer == nil, let made { item = TemporaryID(id.text).replaced(in: item, by: made) }
            let known = answer.flatMap { change.merging?.id(of: $0, at: JSONFragment.range(of: $0)) }
            let newID = known ?? (isTemporary ? name.map { ItemID($0) } : nil) ?? id
            let version = answer.flatMap { change.merging?.version(of: $0, at: JSONFragment.range(of: $0)) }
            return Change(.upsert, newID, item, version: version, insertion: insertion)
        }
    }

    /// Whether `base` has what it does already: as a merge patch it changes nothing. A new item without an id of its own cannot be found.
    func isThere(in base: Entry?) -> Bool {
        if change.operation == .replace { return base?.payload == item }
        guard !isTemporary, let id, let base, let policy = change.merging else { return false }
        let element = CutEntry(base, for: policy).element(id)
        guard change.operation != .delete else { return element == nil }
        return element.map { JSONMergePatch.apply(item, to: $0) == $0 } ?? false
    }
}

extension SendChange {
    /// The item in a payload, and its id. Throws for what the operation needs and the payload lacks.
    ///
    /// - Parameter temporary: the id of a new item that has none.
    func item(
        in payload: [UInt8], with arguments: [String: String], orTemporary temporary: String
    ) throws(SendProblem) -> (id: ItemID?, item: [UInt8], isTemporary: Bool) {
        switch operation {
        case .refresh: return (nil, [], false)
        case .replace, .upsert, .patch, .delete: break
        }
        let range = payload.isEmpty ? nil : JSONScanner.range(of: item, in: payload)
        let bytes = range.map { Array(payload[$0]) }
        if operation == .replace { return (nil, item.tokens.isEmpty ? payload : bytes ?? payload, false) }
        if operation != .delete, payload.isEmpty { throw SendProblem("there is no payload, and `op: \(operation.rawValue)` needs an item") }
        if operation != .delete, bytes == nil { throw SendProblem("the payload has no item at `\(item.description)`") }
        if let target { return (ItemID(target.filled(with: arguments)), bytes ?? [], false) }
        if let bytes, let id = merging?.id(of: bytes, at: JSONFragment.range(of: bytes)) { return (id, bytes, false) }
        guard operation == .upsert, let bytes, let place = merging?.id.only, place.tokens.count > 0, bytes.first == UInt8(ascii: "{") else {
            let places = merging?.id.map { "`\($0.description)`" }.joined(separator: ", ") ?? ""
            throw SendProblem("the item has no id at \(places), which `op: \(operation.rawValue)` needs")
        }
        let patch = place.tokens.reversed().reduce(JSONText.string(temporary)) { JSONText.object([($1, $0)]) }
        return (ItemID(temporary), JSONMergePatch.apply(Array(patch.text.utf8), to: bytes), true)
    }
}

/// The reason why a send is not taken in: a sentence part, lower case, without a full stop.
struct SendProblem: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

extension Array {
    /// The element, if there is but one.
    fileprivate var only: Element? { count == 1 ? self[0] : nil }
}

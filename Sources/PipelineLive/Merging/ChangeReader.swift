import Pipeline
internal import PipelineJSON

/// Reads the messages of a feed.
package struct ChangeReader: Sendable {
    private let feed: FeedSpec
    private let words: [ExactName: Change.Operation]

    /// Reads what `feed` declares.
    package init(_ feed: FeedSpec) {
        self.feed = feed
        var words: [ExactName: Change.Operation] = [:]
        if let operations = feed.merging?.operations {
            for word in operations.upsert { words[ExactName(word)] = .upsert }
            for word in operations.delete { words[ExactName(word)] = .delete }
            for word in operations.patch { words[ExactName(word)] = .patch }
        }
        self.words = words
    }

    /// Reads what `message` says.
    package func read(_ message: LiveMessage) -> FeedMessage {
        guard let payload = message.payload else { return FeedMessage(.refresh) }
        let readsContent = feed.merging != nil || feed.sequence != nil || feed.resync != nil || !feed.addressing.isEmpty
        guard readsContent else { return FeedMessage(.refresh) }
        if payload.isEmpty { return FeedMessage(.invalid("the message is empty")) }
        if let problem = JSONScanner.problem(of: payload) { return FeedMessage(.invalid("not JSON: \(problem)")) }
        var result = FeedMessage(meaning(of: payload, message))
        result.sequence = feed.sequence.flatMap { JSONScanner.scalar(at: $0, in: payload) }.flatMap(Self.integer)
        for (parameter, pointer) in feed.addressing {
            result.addressing[parameter] = .some(JSONScanner.scalar(at: pointer, in: payload)?.text)
        }
        return result
    }

    private func meaning(of payload: [UInt8], _ message: LiveMessage) -> FeedMessage.Meaning {
        if let resync = feed.resync, resync.matches(json: payload) { return .resync }
        guard let merging = feed.merging else { return .refresh }
        do throws(Invalid) {
            let change = try change(in: payload, try operation(in: payload, message, merging), merging)
            try expect(change.id.text.utf8.count, atMost: ItemID.mostBytes, "an id")
            try expect(change.version?.size ?? 0, atMost: ItemVersion.mostBytes, "a version")
            return .change(change)
        } catch {
            return error.isFault ? .faulty(error.reason) : .invalid(error.reason)
        }
    }

    private struct Invalid: Error {
        let reason: String
        /// Whether a change is there, which is too large.
        var isFault = false
    }

    private func expect(_ size: Int, atMost most: Int, _ name: String) throws(Invalid) {
        if size > most { throw Invalid(reason: "\(name) of \(size) bytes, and no more than \(most) are allowed", isFault: true) }
    }

    private func operation(
        in payload: [UInt8], _ message: LiveMessage, _ merging: MergePolicy
    ) throws(Invalid) -> Change.Operation {
        guard let place = merging.operations?.place else { return .upsert }
        let word: String
        switch place {
        // An event without a name is one called `message` (WHATWG HTML, section 9.2.6).
        case .event: word = message.event ?? "message"
        case .pointer(let pointer):
            guard let text = JSONScanner.scalar(at: pointer, in: payload)?.text else {
                throw Invalid(reason: "no word at \(Self.quoted(pointer)) that says what it does")
            }
            word = text
        }
        guard let operation = words[ExactName(word)] else { throw Invalid(reason: "`\(word.shortened)` is not a declared operation") }
        return operation
    }

    private func change(
        in payload: [UInt8], _ operation: Change.Operation, _ merging: MergePolicy
    ) throws(Invalid) -> Change {
        guard let item = JSONScanner.range(of: merging.item, in: payload) else {
            throw Invalid(reason: "no item at \(Self.quoted(merging.item))")
        }
        guard !merging.id.isEmpty else { return try namedChange(in: payload, at: item, operation, merging) }
        guard let id = merging.id(of: payload, at: item) else {
            let places = merging.id.map(Self.quoted).joined(separator: ", ")
            throw Invalid(reason: "no string or number at \(places) of the item, its id")
        }
        return Change(
            operation, id, operation == .delete ? [] : Array(payload[item]), version: merging.version(of: payload, at: item))
    }

    /// Without pointers to an id, the item is an object of one member: its name is the id.
    private func namedChange(
        in payload: [UInt8], at range: Range<Int>, _ operation: Change.Operation, _ merging: MergePolicy
    ) throws(Invalid) -> Change {
        guard let object = JSONScanner.parts(of: payload, at: range), object.isObject, object.parts.count == 1,
            let member = object.parts.first, let name = member.name
        else { throw Invalid(reason: "the item is not an object of one member whose name is the id") }
        let item = operation == .delete ? [] : Array(payload[member.value])
        let version = merging.version(of: payload, at: member.value)
        return Change(operation, ItemID(JSONScalar.string(payload, at: name)), item, version: version)
    }

    private static func integer(_ scalar: JSONScalar) -> Int64? {
        switch scalar {
        case .number(let number): number.integer
        case .string(let text): JSONNumber(text)?.integer
        case .null, .bool: nil
        }
    }

    private static func quoted(_ pointer: JSONPointer) -> String { "`\(pointer.description.shortened)`" }
}

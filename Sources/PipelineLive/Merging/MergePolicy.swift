import Pipeline
public import PipelineJSON

/// The rule by which the messages of a change source are merged into the list that a pipeline holds.
public struct MergePolicy: Sendable, Hashable {
    /// The way in which a message says what it does.
    public struct Operations: Sendable, Hashable {
        /// The place of the word.
        ///
        /// New cases may come: switch with a `default`.
        public enum Place: Sendable, Hashable {
            /// In the message.
            case pointer(JSONPointer)
            /// The name of the event.
            case event
        }

        /// The place of the word.
        package var place: Place
        /// The words that put an item in the place of the one with its id.
        package var upsert: [String]
        /// The words that remove the item.
        package var delete: [String]
        /// The words that change members of the item (RFC 7396).
        package var patch: [String]

        /// Words at `place`. A message without one of them is invalid.
        ///
        /// - Parameters:
        ///   - place: where the word stands.
        ///   - upsert: the words that put an item in the place of the one with its id.
        ///   - delete: the words that remove the item.
        ///   - patch: the words that change members of the item (RFC 7396).
        public init(at place: Place, upsert: [String] = [], delete: [String] = [], patch: [String] = []) {
            (self.place, self.upsert, self.delete, self.patch) = (place, upsert, delete, patch)
        }
    }

    /// The place for an item whose id the list lacks.
    ///
    /// New cases may come: switch with a `default`.
    public enum Insertion: Sendable, Hashable {
        /// Nowhere: the list is loaded again.
        case refresh
        case first
        case last
        /// Nowhere: the change is dropped.
        case ignore
        /// By the value at `pointer`; behind those with an equal one. An update moves an item whose value changes.
        case sorted(JSONPointer, isDescending: Bool)
    }

    /// The array in the value, or an object whose members' names are the ids.
    package var list: JSONPointer
    /// The item in the message.
    package var item: JSONPointer
    /// The parts of the id in an item. Empty for a list that is an object keyed by id: not allowed for an array.
    package var id: [JSONPointer]
    /// The operations of messages; nil: each is an upsert.
    package var operations: Operations?
    /// The version in an item: an older change never wins. Nil: the order of arrival decides.
    package var version: JSONPointer?
    /// The place for an item whose id the list lacks.
    package var insertion: Insertion

    /// Merges items by `id`.
    ///
    /// - Parameters:
    ///   - list: the array in the value, or an object whose members' names are the ids.
    ///   - item: the item in the message.
    ///   - id: the parts of the id in an item. Empty for a list that is an object keyed by id: not allowed for an array.
    ///   - operations: what a message does; nil: each is an upsert.
    ///   - version: the version in an item: an older change never wins. Nil: the order of arrival decides.
    ///   - insertion: where an item goes whose id the list lacks.
    public init(
        list: JSONPointer = .whole, item: JSONPointer = .whole, id: [JSONPointer], operations: Operations? = nil,
        version: JSONPointer? = nil, insertion: Insertion = .refresh
    ) {
        (self.list, self.item, self.id) = (list, item, id)
        (self.operations, self.version, self.insertion) = (operations, version, insertion)
    }
}

extension MergePolicy {
    /// The id of the item at `range`; nil where a part of it is missing, or neither a string nor a number.
    package func id(of bytes: [UInt8], at range: Range<Int>) -> ItemID? {
        guard !id.isEmpty else { return nil }
        if id.count == 1 { return part(id[0], of: bytes, at: range).map { ItemID($0) } }
        var parts: [String] = []
        for pointer in id {
            guard let part = part(pointer, of: bytes, at: range) else { return nil }
            parts.append(part)
        }
        return ItemID(parts)
    }

    private func part(_ pointer: JSONPointer, of bytes: [UInt8], at range: Range<Int>) -> String? {
        switch JSONScanner.scalar(at: pointer, in: bytes, at: range) {
        case .string(let text): text
        case .number(let number): number.description
        case .null, .bool, nil: nil
        }
    }

    /// The version of the item at `range`; nil where none is declared, or the item has none.
    package func version(of bytes: [UInt8], at range: Range<Int>) -> ItemVersion? {
        version.flatMap { JSONScanner.scalar(at: $0, in: bytes, at: range) }.flatMap { ItemVersion($0) }
    }
}

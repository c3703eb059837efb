/// Places in a JSON value, by JSON Pointer (RFC 6901) for one place or by JSONPath (RFC 9535) for any number: `/friend/id`, `$[*].author_id`.
///
/// Of JSONPath, names, indices, wildcards, slices and lists of them are run. Filters and descendants are read and refused.
public struct JSONPath: Sendable, Hashable {
    /// A choice among the children of an array or object.
    enum Selector: Sendable, Hashable {
        case name(String)
        /// An index of an array, negative from the end.
        case index(Int)
        case slice(JSONSlice)
        case wildcard
        /// A token of a JSON Pointer: the name of a member, or an index.
        case token(String)
    }

    /// The reason why a text is no path that can be run.
    public struct Problem: Error, Sendable, Hashable, CustomStringConvertible {
        /// The reason in words, lower case: `expected a digit`.
        public let message: String
        /// The place of the problem, in Unicode scalars of the text.
        public let offset: Int
        /// Indicates whether the text breaks the grammar. False for a path of RFC 9535 with a filter or a descendant, which are not
        /// supported here.
        public let isMalformed: Bool

        /// The message and where.
        public var description: String { "\(message) at character \(offset + 1)" }
    }

    /// The selectors of each level.
    let segments: [[Selector]]
    /// The path as it was written.
    public let description: String
    /// Indicates whether it is a pointer, which names at most one place.
    public let isPointer: Bool

    /// The places that `text` names: a JSONPath where it begins with `$`, else a JSON Pointer.
    public init(_ text: String) throws(Problem) {
        if text.unicodeScalars.first == "$" {
            try self.init(query: text)
        } else {
            self.init(try JSONPointer(parsing: text))
        }
    }

    /// The places that the query `text` of RFC 9535 names.
    public init(query text: String) throws(Problem) {
        var parser = JSONPathParser(text)
        segments = try parser.query()
        description = text
        isPointer = false
    }

    /// The place that `pointer` names.
    public init(_ pointer: JSONPointer) {
        segments = pointer.tokens.map { [.token($0)] }
        description = pointer.description
        isPointer = true
    }

    /// The elements of the list that `pointer` names, or what `rest` names in each of them.
    package init(eachOf pointer: JSONPointer, _ rest: JSONPointer = .whole) {
        segments = pointer.tokens.map { [.token($0)] } + [[.wildcard]] + rest.tokens.map { [.token($0)] }
        description = "\(pointer)/*\(rest)"
        isPointer = false
    }

    /// What `rest` names in the last element of the list that `pointer` names.
    package init(lastOf pointer: JSONPointer, _ rest: JSONPointer) {
        segments = pointer.tokens.map { [.token($0)] } + [[.index(-1)]] + rest.tokens.map { [.token($0)] }
        description = "\(pointer)/-1\(rest)"
        isPointer = false
    }

    private init(_ segments: [[Selector]], _ description: String, isPointer: Bool) {
        self.segments = segments
        self.description = description
        self.isPointer = isPointer
    }

    /// The name that each of its places has, where all are members of one name: `author_id` for `$[*].author_id`. Nil for others, also for a
    /// pointer to what may be an element of a list.
    public var memberName: String? {
        guard let last = segments.last, last.count == 1 else { return nil }
        return switch last[0] {
        case .name(let name): name
        case .token(let token): JSONPlaces.position(token) == nil ? token : nil
        case .index, .slice, .wildcard: nil
        }
    }

    /// The place up to which it leads to one place alone: that of the list in `$.data.items[*].id`, all of it in `/data/items`.
    package var placeOfChoice: JSONPointer {
        var tokens: [String] = []
        for segment in segments {
            switch segment.count == 1 ? segment[0] : .wildcard {
            case .name(let name), .token(let name): tokens.append(name)
            case .index(let index) where index >= 0: tokens.append("\(index)")
            case .index, .slice, .wildcard: return JSONPointer(tokens: tokens)
            }
        }
        return JSONPointer(tokens: tokens)
    }

    /// The objects that have the members of this path, or might; nil without a ``memberName``.
    package var holders: JSONPath? {
        guard memberName != nil else { return nil }
        return JSONPath(segments.dropLast(), description, isPointer: isPointer)
    }

    /// The members called `name` beside the places of this path; nil without a ``memberName``.
    public func sibling(_ name: String) -> JSONPath? {
        guard memberName != nil else { return nil }
        return JSONPath(segments.dropLast() + [[.name(name)]], description, isPointer: isPointer)
    }
}

extension JSONPath: CustomStringConvertible {}

/// A slice of RFC 9535, section 2.3.4: `start:end:step`.
struct JSONSlice: Sendable, Hashable {
    let start: Int?
    let end: Int?
    let step: Int

    /// Indicates whether it takes the element at `index` of an array of `count` elements.
    func takes(_ index: Int, of count: Int) -> Bool {
        if step == 0 { return false }
        func normalized(_ bound: Int) -> Int { bound >= 0 ? bound : count + bound }
        if step > 0 {
            let lower = min(max(normalized(start ?? 0), 0), count)
            let upper = min(max(normalized(end ?? count), 0), count)
            return lower <= index && index < upper && (index - lower) % step == 0
        }
        let upper = min(max(start.map(normalized) ?? count - 1, -1), count - 1)
        let lower = min(max(end.map(normalized) ?? -1, -1), count - 1)
        return lower < index && index <= upper && (upper - index) % step == 0
    }
}

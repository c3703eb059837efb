/// Values placed in a JSON text, and members or elements removed from it. Every other byte of it stays as it is.
package struct JSONSplice: Sendable {
    struct Edit {
        /// The label of a value that takes the place of another.
        static let unlabelled = -1
        /// The value of what is removed.
        static let nothing = -1

        private let start: Int32
        private let end: Int32
        private let labelCode: Int32
        private let valueNumber: Int32

        var range: Range<Int> { Int(start)..<Int(end) }
        /// The number of what stands before the value; below ``unlabelled`` where no comma stands before that: see ``withoutComma``.
        var label: Int { Int(labelCode) }
        /// The number of the value.
        var value: Int { Int(valueNumber) }

        /// Removes the text at `range`.
        init(removing range: Range<Int>) { self.init(range: range, label: Self.unlabelled, value: Self.nothing) }

        init(range: Range<Int>, label: Int, value: Int) {
            (start, end) = (Int32(range.lowerBound), Int32(range.upperBound))
            (labelCode, valueNumber) = (Int32(label), Int32(value))
        }

        /// The edit as one of the first member of its object.
        var withoutComma: Edit { Edit(range: range, label: -2 - label, value: value) }

        /// The number of its label in the list of labels; nil if it has none.
        var labelNumber: Int? { label >= 0 ? label : label == Self.unlabelled ? nil : -2 - label }
    }

    let payload: [UInt8]
    private var labels: [[UInt8]] = []
    private var values: [(fragment: JSONFragment, depth: Int)] = []
    private(set) var edits: [Edit] = []
    /// The members and elements that are removed.
    private(set) var removed: [JSONPlace] = []
    private var null: Int?
    private var isSorted = true
    private var deepest = 0
    /// The number of bytes by which the text becomes longer.
    private var growth = 0
    /// The number of bytes of the values that are placed, each as often as it is placed.
    package private(set) var placedSize = 0

    /// - Parameter payload: JSON.
    package init(_ payload: [UInt8]) {
        self.payload = payload
    }

    /// The text before the value of a member called `name`, for ``add(_:_:after:)``: make it once for many places.
    package static func label(_ name: String) -> [UInt8] { Array((JSONText.string(name).text + ":").utf8) }

    /// The number of what stands before members that are added, ``label(_:)`` of their name, which no other member of their objects has.
    package mutating func number(ofLabel label: [UInt8]) -> Int {
        labels.append(label)
        return labels.count - 1
    }

    /// The number of a value to place, however often: it is counted as new each time that it is given.
    package mutating func number(of value: JSONFragment) -> Int {
        values.append((value, value.depth))
        return values.count - 1
    }

    /// The number of `null`, the same each time.
    package mutating func numberOfNull() -> Int {
        if let null { return null }
        let number = number(of: .null)
        null = number
        return number
    }

    /// Puts `value` in the place of what is there.
    package mutating func replace(_ place: JSONPlace, with value: JSONFragment) { replace(place, with: number(of: value)) }

    /// Puts the value of this number in the place of what is there.
    package mutating func replace(_ place: JSONPlace, with value: Int) {
        growth -= place.range.count
        append(Edit(range: place.range, label: Edit.unlabelled, value: value), depth: place.depth)
    }

    /// Adds a member to the object that holds `place`, right after it.
    ///
    /// - Parameter label: ``label(_:)`` of a name that no other member of the object has.
    package mutating func add(_ label: [UInt8], _ value: JSONFragment, after place: JSONPlace) {
        add(number(ofLabel: label), number(of: value), after: place)
    }

    /// Adds a member with the label and the value of these numbers to the object that holds `place`, right after it.
    package mutating func add(_ label: Int, _ value: Int, after place: JSONPlace) {
        growth += labels[label].count + 1
        let end = place.range.upperBound
        append(Edit(range: end..<end, label: label, value: value), depth: place.depth)
    }

    /// Removes the member whose value is at `place` from its object, or the element from its array, with one comma.
    package mutating func remove(_ place: JSONPlace) { removed.append(place) }

    private mutating func append(_ edit: Edit, depth: Int) {
        if !edits.isEmpty, edits[edits.count - 1].range.upperBound > edit.range.lowerBound { isSorted = false }
        let size = values[edit.value].fragment.range.count
        deepest = max(deepest, depth + values[edit.value].depth)
        growth += size
        placedSize += size
        edits.append(edit)
    }

    /// Makes room for the edits of the first places; those that come later grow it as an array grows.
    package mutating func reserveCapacity(_ count: Int) {
        if edits.isEmpty { edits.reserveCapacity(count) }
    }

    /// The text with all of them, those of one place in the order in which they were given.
    ///
    /// Throws when it is larger than `limit`, or nested deeper than can be read, and where one place is in another that is replaced. What would
    /// be placed in a member that is removed is left out with it.
    package func assembled(limit: Int) throws(JSONScanner.Problem) -> [UInt8] {
        if edits.isEmpty, removed.isEmpty { return payload }
        try JSONScanner.expectDepth(deepest)
        if removed.isEmpty {
            try JSONScanner.expectSize(payload.count + growth, limit: limit)
            return assembled(isSorted ? edits : try Self.sorted(edits), size: payload.count + growth)
        }
        let edits = try Self.sorted(editsWithRemovals())
        let size = edits.reduce(payload.count) { $0 + self.growth(by: $1) }
        try JSONScanner.expectSize(size, limit: limit)
        return assembled(edits, size: size)
    }

    private func growth(by edit: Edit) -> Int {
        let comma = edit.label >= 0 ? 1 : 0
        let value = edit.value == Edit.nothing ? 0 : values[edit.value].fragment.range.count
        return comma + (edit.labelNumber.map { labels[$0].count } ?? 0) + value - edit.range.count
    }

    private func assembled(_ edits: [Edit], size: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: size) { result, count in
            var end = 0
            for edit in edits {
                result.append(payload, end..<edit.range.lowerBound, at: &count)
                end = edit.range.upperBound
                if edit.label >= 0 {
                    result[count] = UInt8(ascii: ",")
                    count += 1
                }
                if let number = edit.labelNumber { result.append(labels[number], labels[number].indices, at: &count) }
                if edit.value == Edit.nothing { continue }
                let value = values[edit.value].fragment
                result.append(value.bytes, value.range, at: &count)
            }
            result.append(payload, end..<payload.count, at: &count)
        }
    }

    /// The edits in the order of their places, without those in what is removed. Throws where one place is in another that is replaced.
    private static func sorted(_ edits: [Edit]) throws(JSONScanner.Problem) -> [Edit] {
        let all = edits.enumerated().sorted {
            ($0.element.range.lowerBound, $0.element.range.upperBound, $0.offset)
                < ($1.element.range.lowerBound, $1.element.range.upperBound, $1.offset)
        }.map(\.element)
        var sorted: [Edit] = []
        sorted.reserveCapacity(all.count)
        for edit in all {
            if let last = sorted.last, edit.range.lowerBound < last.range.upperBound {
                if last.value == Edit.nothing { continue }
                throw JSONScanner.Problem(message: "one value would be placed in another that is replaced", offset: edit.range.lowerBound)
            }
            sorted.append(edit)
        }
        return sorted
    }
}

extension JSONScanner {
    package static func expectDepth(_ depth: Int) throws(Problem) {
        if depth > maximumDepth { throw Problem(message: "nested deeper than \(maximumDepth)", offset: 0) }
    }

    package static func expectSize(_ size: Int, limit: Int) throws(Problem) {
        if size > limit { throw Problem(message: "\(size) bytes, and no more than \(limit) are allowed", offset: 0) }
    }

    /// The depth to which the arrays and objects of the value at `range` are nested.
    package static func depth(of payload: [UInt8], at range: Range<Int>) -> Int {
        payload.withUnsafeBufferPointer { bytes in
            var (depth, deepest, index) = (0, 0, range.lowerBound)
            while index < range.upperBound {
                switch bytes[index] {
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    depth += 1
                    deepest = max(deepest, depth)
                case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
                case UInt8(ascii: "\""):
                    index += 1
                    while index < range.upperBound, bytes[index] != UInt8(ascii: "\"") {
                        index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
                    }
                default: break
                }
                index += 1
            }
            return deepest
        }
    }
}

extension JSONSplice {
    /// All edits with those that remove members, in no order.
    func editsWithRemovals() -> [Edit] {
        var edits = edits
        let labelled = edits.indices.filter { edits[$0].label >= 0 }
        let added = Dictionary(labelled.map { (edits[$0].range.lowerBound, $0) }, uniquingKeysWith: { first, _ in first })
        for (holder, places) in Dictionary(grouping: removed, by: \.holder) {
            remove(Set(places.map(\.range.lowerBound)), from: holder, added, in: &edits)
        }
        return edits
    }

    /// - Parameters:
    ///   - gone: where the values of the members begin that are removed.
    ///   - added: the first edit that adds a member, by where the value ends after which it is added.
    private func remove(_ gone: Set<Int>, from holder: Range<Int>, _ added: [Int: Int], in edits: inout [Edit]) {
        let members = JSONScanner.parts(of: payload, at: holder)?.parts ?? []
        let rest = members.firstIndex { !gone.contains($0.value.lowerBound) }
        // The first member that is added before any other stays has no comma.
        let first = members[..<(rest ?? members.endIndex)].lazy.compactMap { added[$0.value.upperBound] }.first
        if let first { edits[first] = edits[first].withoutComma }
        for (index, member) in members.enumerated() where gone.contains(member.value.lowerBound) {
            // What stands before the first name stays there, unless nothing comes after it.
            let isKept = index == 0 && (rest != nil || first != nil)
            let start = isKept ? member.name?.lowerBound ?? member.value.lowerBound : member.lead.lowerBound
            edits.append(Edit(removing: start..<member.value.upperBound))
        }
        // Without any before it, the first one that stays loses its comma.
        if let rest, rest > 0, first == nil {
            let start = members[rest].name?.lowerBound ?? members[rest].value.lowerBound
            edits.append(Edit(removing: members[rest].lead.lowerBound..<start))
        }
    }
}

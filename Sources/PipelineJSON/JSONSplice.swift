/// Values placed in a JSON text. Every other byte of it stays as it is.
package struct JSONSplice: Sendable {
    private struct Edit {
        let range: Range<Int>
        /// The number of what stands before the value; -1 where the value takes the place of another.
        let label: Int
        /// The number of the value.
        let value: Int
    }

    private let payload: [UInt8]
    private var labels: [[UInt8]] = []
    private var values: [(fragment: JSONFragment, depth: Int)] = []
    private var edits: [Edit] = []
    private var isSorted = true
    private var deepest = 0
    /// How much longer the text becomes.
    private var growth = 0

    /// - Parameter payload: JSON.
    package init(_ payload: [UInt8]) {
        self.payload = payload
    }

    /// What stands before the value of a member called `name`, for ``add(_:_:after:)``: make it once for many places.
    package static func label(_ name: String) -> [UInt8] { Array((JSONText.string(name).text + ":").utf8) }

    /// The number of a value to place, however often: it is counted as new each time that it is given.
    package mutating func number(of value: JSONFragment) -> Int {
        values.append((value, value.depth))
        return values.count - 1
    }

    /// How many bytes the value of this number has.
    package func size(of value: Int) -> Int { values[value].fragment.range.count }

    /// Puts `value` in the place of what is there.
    package mutating func replace(_ place: JSONPlace, with value: JSONFragment) { replace(place, with: number(of: value)) }

    /// Puts the value of this number in the place of what is there.
    package mutating func replace(_ place: JSONPlace, with value: Int) {
        growth -= place.range.count
        append(Edit(range: place.range, label: -1, value: value), depth: place.depth)
    }

    /// Adds a member to the object that holds `place`, right after it.
    ///
    /// - Parameter label: ``label(_:)`` of a name that no other member of the object has.
    package mutating func add(_ label: [UInt8], _ value: JSONFragment, after place: JSONPlace) {
        add(label, number(of: value), after: place)
    }

    /// Adds a member with the value of this number. See ``add(_:_:after:)-([UInt8],JSONFragment,_)``.
    package mutating func add(_ label: [UInt8], _ value: Int, after place: JSONPlace) {
        if labels.last != label { labels.append(label) }
        growth += label.count + 1
        let end = place.range.upperBound
        append(Edit(range: end..<end, label: labels.count - 1, value: value), depth: place.depth)
    }

    private mutating func append(_ edit: Edit, depth: Int) {
        if !edits.isEmpty, edits[edits.count - 1].range.upperBound > edit.range.lowerBound { isSorted = false }
        deepest = max(deepest, depth + values[edit.value].depth)
        growth += values[edit.value].fragment.range.count
        edits.append(edit)
    }

    /// Makes room for the edits of the first places; those that come later grow it as an array grows.
    package mutating func reserveCapacity(_ count: Int) {
        if edits.isEmpty { edits.reserveCapacity(count) }
    }

    /// The text with all of them, those of one place in the order in which they were given.
    ///
    /// Throws when it is larger than `limit`, or nested deeper than can be read, and where one place is in another that is replaced.
    package func assembled(limit: Int) throws(JSONScanner.Problem) -> [UInt8] {
        if edits.isEmpty { return payload }
        try JSONScanner.expectDepth(deepest)
        try JSONScanner.expectSize(payload.count + growth, limit: limit)
        let edits = isSorted ? edits : try sorted()
        return [UInt8](unsafeUninitializedCapacity: payload.count + growth) { result, count in
            var end = 0
            for edit in edits {
                result.append(payload, end..<edit.range.lowerBound, at: &count)
                if edit.label >= 0 {
                    result[count] = UInt8(ascii: ",")
                    count += 1
                    result.append(labels[edit.label], labels[edit.label].indices, at: &count)
                }
                let value = values[edit.value].fragment
                result.append(value.bytes, value.range, at: &count)
                end = edit.range.upperBound
            }
            result.append(payload, end..<payload.count, at: &count)
        }
    }

    /// The edits in the order of their places. Throws where one place is in another that is replaced.
    private func sorted() throws(JSONScanner.Problem) -> [Edit] {
        let sorted = edits.enumerated().sorted {
            ($0.element.range.lowerBound, $0.element.range.upperBound, $0.offset)
                < ($1.element.range.lowerBound, $1.element.range.upperBound, $1.offset)
        }.map(\.element)
        for (edit, next) in zip(sorted, sorted.dropFirst()) where next.range.lowerBound < edit.range.upperBound {
            throw JSONScanner.Problem(message: "one value would be placed in another that is replaced", offset: next.range.lowerBound)
        }
        return sorted
    }
}

extension JSONScanner {
    static func expectDepth(_ depth: Int) throws(Problem) {
        if depth > maximumDepth { throw Problem(message: "nested deeper than \(maximumDepth)", offset: 0) }
    }

    static func expectSize(_ size: Int, limit: Int) throws(Problem) {
        if size > limit { throw Problem(message: "\(size) bytes, and no more than \(limit) are allowed", offset: 0) }
    }

    /// How deep the arrays and objects of the value at `range` are nested.
    static func depth(of payload: [UInt8], at range: Range<Int>) -> Int {
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

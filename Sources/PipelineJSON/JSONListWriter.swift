/// A list that is made element by element, each of pieces that are copied as they are.
package struct JSONListWriter {
    private var bytes: [UInt8] = []
    private var deepest = 0

    package init() {}

    /// Begins an element with `size` bytes. Throws where the list becomes larger than `limit`.
    package mutating func begin(size: Int, limit: Int) throws(JSONScanner.Problem) {
        try JSONScanner.expectSize(bytes.count + 2 + size, limit: limit)
        bytes.append(UInt8(ascii: bytes.isEmpty ? "[" : ","))
    }

    /// Adds a piece of an element.
    package mutating func add(_ piece: ArraySlice<UInt8>) { bytes += piece }

    /// Adds the value of a member, or an element that has begun.
    ///
    /// - Parameter depth: how many arrays and objects of the element are around it.
    package mutating func add(_ text: [UInt8], _ range: Range<Int>, within depth: Int = 0) {
        bytes += text[range]
        // Each array or object takes two bytes.
        if range.count / 2 + depth > deepest, range.count / 2 + depth >= JSONScanner.maximumDepth {
            deepest = max(deepest, depth + JSONScanner.depth(of: text, at: range))
        }
    }

    /// Adds an element.
    package mutating func add(_ element: JSONFragment) {
        bytes.append(UInt8(ascii: bytes.isEmpty ? "[" : ","))
        add(element.bytes, element.range)
    }

    /// The list. Throws where it is larger than `limit`, or nested deeper than can be read.
    package consuming func list(limit: Int) throws(JSONScanner.Problem) -> JSONFragment {
        try JSONScanner.expectDepth(1 + deepest)
        if bytes.isEmpty { bytes.append(UInt8(ascii: "[")) }
        try JSONScanner.expectSize(bytes.count + 1, limit: limit)
        bytes.append(UInt8(ascii: "]"))
        return JSONFragment(bytes)
    }
}

/// A JSON value to be placed in another: bytes that are copied as they are.
package struct JSONFragment: Sendable {
    /// What holds it.
    package let bytes: [UInt8]
    /// Where it is in ``bytes``, without white space around it.
    package let range: Range<Int>
    /// How deep its arrays and objects are nested: 0 for a scalar.
    package let depth: Int

    /// The value at `range` of `bytes`, which is JSON; all of it without a range.
    package init(_ bytes: [UInt8], at range: Range<Int>? = nil) {
        let given = range ?? bytes.indices
        let isValue: (Int) -> Bool = { !JSONScanner.isSpace(bytes[$0]) }
        let start = given.first(where: isValue) ?? given.lowerBound
        let end = given.last(where: isValue).map { $0 + 1 } ?? start
        self.init(bytes, at: start..<end, depth: JSONScanner.depth(of: bytes, at: start..<end))
    }

    init(_ bytes: [UInt8], at range: Range<Int>, depth: Int) {
        (self.bytes, self.range, self.depth) = (bytes, range, depth)
    }

    /// `text` as a JSON string.
    package init(string text: String) {
        let bytes = Array(JSONText.string(text).text.utf8)
        self.init(bytes, at: bytes.indices, depth: 0)
    }

    package static let null = JSONFragment(Array("null".utf8), at: 0..<4, depth: 0)

    /// The bytes of the value alone.
    package var payload: [UInt8] { range == bytes.indices ? bytes : Array(bytes[range]) }

    /// An object of these members, in this order. What stands before a value is ``JSONSplice/label(_:)`` of a name: make it once for many.
    package static func object(_ members: [(label: [UInt8], value: JSONFragment)], limit: Int) throws(JSONScanner.Problem) -> JSONFragment {
        try assembled(members.map(\.value), named: members.map(\.label), in: ("{", "}"), limit: limit)
    }

    /// An array of these elements.
    package static func array(_ elements: [JSONFragment], limit: Int) throws(JSONScanner.Problem) -> JSONFragment {
        try assembled(elements, named: nil, in: ("[", "]"), limit: limit)
    }

    private static func assembled(
        _ values: [JSONFragment], named names: [[UInt8]]?, in brackets: (Unicode.Scalar, Unicode.Scalar), limit: Int
    ) throws(JSONScanner.Problem) -> JSONFragment {
        let depth = 1 + (values.lazy.map(\.depth).max() ?? 0)
        try JSONScanner.expectDepth(depth)
        let size = values.reduce(2) { $0 + $1.range.count + 1 } + (names ?? []).reduce(0) { $0 + $1.count }
        try JSONScanner.expectSize(size - (values.isEmpty ? 0 : 1), limit: limit)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size)
        bytes.append(UInt8(ascii: brackets.0))
        for index in values.indices {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            if let names { bytes += names[index] }
            bytes += values[index].bytes[values[index].range]
        }
        bytes.append(UInt8(ascii: brackets.1))
        return JSONFragment(bytes, at: bytes.indices, depth: depth)
    }
}

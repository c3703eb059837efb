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
        let labels = members.reduce(0) { $0 + $1.label.count }
        return try assembled(members.lazy.map(\.value), besides: labels, in: ("{", "}"), limit: limit) { $0 += members[$1].label }
    }

    /// An array of these elements.
    package static func array(_ elements: [JSONFragment], limit: Int) throws(JSONScanner.Problem) -> JSONFragment {
        try assembled(elements, besides: 0, in: ("[", "]"), limit: limit) { _, _ in }
    }

    /// - Parameters:
    ///   - labels: how many bytes stand before the values.
    ///   - label: appends what stands before a value.
    @inline(__always)
    private static func assembled(
        _ values: some RandomAccessCollection<JSONFragment>, besides labels: Int, in brackets: (Unicode.Scalar, Unicode.Scalar), limit: Int,
        _ label: (inout [UInt8], Int) -> Void
    ) throws(JSONScanner.Problem) -> JSONFragment {
        var (depth, size) = (1, 2 + labels + max(0, values.count - 1))
        for value in values {
            depth = max(depth, value.depth + 1)
            size += value.range.count
        }
        try JSONScanner.expectDepth(depth)
        try JSONScanner.expectSize(size, limit: limit)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size)
        bytes.append(UInt8(ascii: brackets.0))
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            label(&bytes, index)
            bytes += value.bytes[value.range]
        }
        bytes.append(UInt8(ascii: brackets.1))
        return JSONFragment(bytes, at: bytes.indices, depth: depth)
    }
}

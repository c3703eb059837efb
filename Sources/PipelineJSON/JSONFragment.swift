/// A JSON value to be placed in another: bytes that are copied as they are.
package struct JSONFragment: Sendable {
    /// The text that holds the value.
    package let bytes: [UInt8]
    /// The place of the value in ``bytes``, without white space around it.
    package let range: Range<Int>
    /// The depth to which its arrays and objects are nested; nil if nothing has counted it yet.
    private let known: Int?

    /// The value at `range` of `bytes`, which is JSON; all of it without a range.
    package init(_ bytes: [UInt8], at range: Range<Int>? = nil) {
        self.init(bytes, at: Self.range(of: bytes, at: range ?? bytes.indices), depth: nil)
    }

    /// The place of the value in `bytes`, without the white space around it.
    package static func range(of bytes: [UInt8]) -> Range<Int> { range(of: bytes, at: bytes.indices) }

    private static func range(of bytes: [UInt8], at given: Range<Int>) -> Range<Int> {
        let isValue: (Int) -> Bool = { !JSONScanner.isSpace(bytes[$0]) }
        let start = given.first(where: isValue) ?? given.lowerBound
        let end = given.last(where: isValue).map { $0 + 1 } ?? start
        return start..<end
    }

    private init(_ bytes: [UInt8], at range: Range<Int>, depth: Int?) {
        (self.bytes, self.range, known) = (bytes, range, depth)
    }

    /// The depth to which its arrays and objects are nested: 0 for a scalar. Each use may count it.
    package var depth: Int { known ?? JSONScanner.depth(of: bytes, at: range) }

    /// The number of bytes below which a value is not nested too deep within another: each array or object takes two.
    package static let sureDepth = 2 * JSONScanner.maximumDepth

    /// The most that ``depth`` can be, without a look at the bytes: each array or object takes two.
    private var mostDepth: Int { known ?? range.count / 2 }

    /// `text` as a JSON string.
    package init(string text: String) {
        let bytes = Array(JSONText.string(text).text.utf8)
        self.init(bytes, at: bytes.indices, depth: 0)
    }

    package static let null = JSONFragment(Array("null".utf8), at: 0..<4, depth: 0)

    /// Indicates whether the value is an array.
    package var isArray: Bool { !range.isEmpty && bytes[range.lowerBound] == UInt8(ascii: "[") }

    /// The bytes of the value alone.
    package var payload: [UInt8] { range == bytes.indices ? bytes : Array(bytes[range]) }

    /// A member of an object that is made.
    package struct Member {
        /// The text before the value: ``JSONSplice/label(_:)`` of its name. Make it once for many.
        let label: [UInt8]
        /// The value; nil for one that is left out.
        package let value: JSONFragment?

        package init(_ label: [UInt8], _ value: JSONFragment?) { (self.label, self.value) = (label, value) }
    }

    /// An object of these members, in this order.
    package static func object(_ members: [Member], limit: Int) throws(JSONScanner.Problem) -> JSONFragment {
        try assembled(members, in: ("{", "}"), limit: limit)
    }

    /// An array of these elements.
    package static func array(_ elements: [JSONFragment], limit: Int) throws(JSONScanner.Problem) -> JSONFragment {
        try assembled(elements.lazy.map { Member([], $0) }, in: ("[", "]"), limit: limit)
    }

    @inline(__always)
    private static func assembled(
        _ members: some Sequence<Member>, in brackets: (Unicode.Scalar, Unicode.Scalar), limit: Int
    ) throws(JSONScanner.Problem) -> JSONFragment {
        var (most, size, count) = (0, 1, 0)
        for member in members {
            guard let value = member.value else { continue }
            most = max(most, value.mostDepth)
            size += 1 + member.label.count + value.range.count
            count += 1
        }
        // The opening bracket stands where another member has its comma.
        if count == 0 { size += 1 }
        var depth: Int?
        if most >= JSONScanner.maximumDepth {
            let exact = 1 + members.reduce(0) { max($0, $1.value?.depth ?? 0) }
            try JSONScanner.expectDepth(exact)
            depth = exact
        }
        try JSONScanner.expectSize(size, limit: limit)
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { result, end in
            for member in members {
                guard let value = member.value else { continue }
                result[end] = UInt8(ascii: end == 0 ? brackets.0 : ",")
                end += 1
                result.append(member.label, member.label.indices, at: &end)
                result.append(value.bytes, value.range, at: &end)
            }
            if count == 0 {
                result[end] = UInt8(ascii: brackets.0)
                end += 1
            }
            result[end] = UInt8(ascii: brackets.1)
            end += 1
        }
        return JSONFragment(bytes, at: bytes.indices, depth: depth)
    }
}

extension UnsafeMutableBufferPointer<UInt8> {
    /// Copies the bytes at `range` to `end`, which moves behind them. There must be room.
    @inlinable
    package func append(_ bytes: [UInt8], _ range: Range<Int>, at end: inout Int) {
        bytes.withUnsafeBytes { bytes in
            UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(self)[end...])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[range]))
        }
        end += range.count
    }
}

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

extension JSONFragment {
    /// The text of a list of these pieces of texts, each a value that is copied as it is. There is room for all of it from the start, so that
    /// nothing is copied twice. Throws where it is larger than `limit`.
    @inlinable
    package static func list(
        of pieces: some Collection<(text: [UInt8], range: Range<Int>)>, limit: Int
    ) throws(JSONScanner.Problem) -> [UInt8] {
        let size = pieces.reduce(2) { $0 + $1.range.count } + max(0, pieces.count - 1)
        try JSONScanner.expectSize(size, limit: limit)
        return [UInt8](unsafeUninitializedCapacity: size) { result, end in result.appendList(of: pieces, at: &end) }
    }
}

extension UnsafeMutableBufferPointer<UInt8> {
    /// Copies a list of these pieces of texts to `end`, which moves behind it. There must be room.
    @inlinable
    package func appendList(of pieces: some Collection<(text: [UInt8], range: Range<Int>)>, at end: inout Int) {
        self[end] = UInt8(ascii: "[")
        end += 1
        var isFirst = true
        for (text, range) in pieces {
            if !isFirst {
                self[end] = UInt8(ascii: ",")
                end += 1
            }
            isFirst = false
            append(text, range, at: &end)
        }
        self[end] = UInt8(ascii: "]")
        end += 1
    }
}

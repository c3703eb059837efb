/// A place that a path leads to, in the bytes of a JSON text.
package struct JSONPlace: Sendable, Hashable {
    /// The value, without white space around it.
    package let range: Range<Int>
    /// The array or object whose element or member it is, from bracket to bracket; the value itself where the path is empty.
    package let holder: Range<Int>
    /// The number of arrays and objects around it: as many as there are steps on its way.
    package let depth: Int
}

/// The places of one path in the order of the text, each once.
package struct JSONPlaces: Sendable, RandomAccessCollection {
    /// An element of an array, or a member of an object.
    struct Step: Sendable, Hashable {
        /// The index of an element, not negative; else the complement of where the name of a member begins, with its quotes.
        private let code: Int32

        static func index(_ index: Int) -> Step { Step(code: Int32(index)) }
        static func name(at offset: Int) -> Step { Step(code: ~Int32(offset)) }

        /// The index of an element; nil for a member.
        var index: Int? { code >= 0 ? Int(code) : nil }

        /// The index in words, or the name, in `payload`.
        func token(in payload: [UInt8]) -> String { code >= 0 ? "\(code)" : JSONScalar.string(payload, beginningAt: Int(~code)) }
    }

    /// The most places of a path, and the most elements of a list that is taken apart.
    package static let most = 1_000_000
    /// Offsets in a longer text are not found.
    static let mostBytes = Int(Int32.max)

    /// An array or object on the way to places.
    struct Holder: Sendable {
        private let outerNumber: Int32
        /// The step that leads to it from that array or object.
        let step: Step
        private let startOffset: Int32
        private var endOffset: Int32

        init(outer: Int, step: Step, start: Int, end: Int) {
            (outerNumber, self.step, startOffset, endOffset) = (Int32(outer), step, Int32(start), Int32(end))
        }

        /// The number of the one that holds it; ``none`` for the value that the path begins at.
        var outer: Int { Int(outerNumber) }
        var start: Int { Int(startOffset) }
        /// The end of the value, known once all of it has been read.
        var end: Int {
            get { Int(endOffset) }
            set { endOffset = Int32(newValue) }
        }

        /// The number in place of a holder for the value that the path begins at.
        static let none = -1
    }

    /// A place that was found; small, since there may be many.
    private struct Place: Sendable {
        private let start: Int32
        private let end: Int32
        private let holderNumber: Int32
        /// The step that leads to it from that array or object.
        let step: Step

        init(range: Range<Int>, holder: Int, step: Step) {
            (start, end, holderNumber, self.step) = (Int32(range.lowerBound), Int32(range.upperBound), Int32(holder), step)
        }

        var range: Range<Int> { Int(start)..<Int(end) }
        /// The number of what holds it.
        var holder: Int { Int(holderNumber) }
    }

    private var places: [Place] = []
    /// The arrays and objects on the way to the places; perhaps also to places of other paths.
    var holders: [Holder] = []
    /// The number of steps to each place.
    private let depth: Int

    /// Makes places of a path with so many steps, none of which are found yet.
    init(depth: Int) { self.depth = depth }

    package var startIndex: Int { 0 }
    package var endIndex: Int { places.count }
    package subscript(position: Int) -> JSONPlace {
        let place = places[position]
        let holder = place.holder == Holder.none ? place.range : holders[place.holder].start..<holders[place.holder].end
        return JSONPlace(range: place.range, holder: holder, depth: depth)
    }

    /// Makes room for so many more, once: an array that has grown grows on by doubling.
    mutating func reserve(_ more: Int) {
        if places.count <= 1_000 { places.reserveCapacity(places.count + more) }
    }

    /// Adds the value at `range`, a part of the holder of this number.
    @inline(__always)
    mutating func append(_ range: Range<Int>, _ step: Step, of holder: Int) {
        places.append(Place(range: range, holder: holder, step: step))
    }

    private func steps(to place: JSONPlace) -> [Step] {
        var (first, end) = (0, places.count)
        while first < end {
            let middle = (first + end) / 2
            if places[middle].range.lowerBound < place.range.lowerBound { first = middle + 1 } else { end = middle }
        }
        var (steps, step, holder): ([Step], Step, Int) = ([], places[first].step, places[first].holder)
        while holder != Holder.none {
            steps.append(step)
            (step, holder) = (holders[holder].step, holders[holder].outer)
        }
        return steps.reversed()
    }

    /// The pointer to `place` in `payload`.
    package func pointer(to place: JSONPlace, in payload: [UInt8]) -> JSONPointer {
        JSONPointer(tokens: steps(to: place).map { $0.token(in: payload) })
    }

    /// The normalized path of `place` (RFC 9535, section 2.7).
    package func normalizedPath(of place: JSONPlace, in payload: [UInt8]) -> String {
        "$"
            + steps(to: place).map { step in
                step.index.map { "[\($0)]" } ?? "['\(Self.normalized(step.token(in: payload)))']"
            }.joined()
    }

    private static func normalized(_ name: String) -> String {
        var text = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "'": text += "\\'"
            case "\\": text += "\\\\"
            case "\u{8}": text += "\\b"
            case "\u{C}": text += "\\f"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// The index that a token of a JSON Pointer spells: no leading zero, and `-` is none.
    static func position(_ token: String) -> Int? {
        guard !token.isEmpty, token.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
            token == "0" || token.utf8.first != UInt8(ascii: "0")
        else { return nil }
        return Int(token)
    }
}

/// Pieces of texts, each found by its id, in the order in which they were added. It takes some 36 bytes for each: there may be a million.
package struct PiecesByID: Sendable {
    /// A part of one of several texts.
    package struct Piece: Sendable {
        fileprivate let mark: ItemMark
        private let number: UInt32
        private let start: UInt32
        private let end: UInt32

        fileprivate init(_ mark: ItemMark, _ text: Int, _ range: Range<Int>) {
            self.mark = mark
            (number, start, end) = (UInt32(text), UInt32(range.lowerBound), UInt32(range.upperBound))
        }

        /// The number of the text.
        package var text: Int { Int(number) }
        package var range: Range<Int> { Int(start)..<Int(end) }
    }

    /// Texts are shorter.
    package static let mostBytes = Int(UInt32.max)

    package private(set) var pieces: [Piece] = []
    /// The number of a piece where its id could be, and of those after it, up to the first that is free: at least a quarter are.
    private var slots: [UInt32] = []
    private static let free = UInt32.max

    package init() {}

    package var count: Int { pieces.count }

    /// The piece with this id.
    package subscript(mark: ItemMark) -> Piece? { number(of: mark).map { pieces[$0] } }

    /// Adds a piece where there is none with this id.
    ///
    /// - Parameter isReplacing: whether it takes the place of one that is there.
    /// - Returns: the one that was there.
    package mutating func add(_ mark: ItemMark, _ text: Int, _ range: Range<Int>, replacing isReplacing: Bool) -> Piece? {
        if let known = number(of: mark) {
            defer { if isReplacing { pieces[known] = Piece(mark, text, range) } }
            return pieces[known]
        }
        pieces.append(Piece(mark, text, range))
        if pieces.count * 4 > slots.count * 3 {
            slots = Array(repeating: Self.free, count: max(8, 2 * slots.count))
            for number in pieces.indices { put(number) }
        } else {
            put(pieces.count - 1)
        }
        return nil
    }

    /// Gives each piece the place in a text that `place` says: its bytes were copied there.
    package mutating func move(_ place: (Piece) -> (text: Int, range: Range<Int>)) {
        for number in pieces.indices {
            let (text, range) = place(pieces[number])
            pieces[number] = Piece(pieces[number].mark, text, range)
        }
    }

    private func place(of mark: ItemMark) -> Int { Int(truncatingIfNeeded: mark.word) & (slots.count - 1) }

    private func number(of mark: ItemMark) -> Int? {
        if slots.isEmpty { return nil }
        var place = place(of: mark)
        while slots[place] != Self.free {
            if pieces[Int(slots[place])].mark == mark { return Int(slots[place]) }
            place = (place + 1) & (slots.count - 1)
        }
        return nil
    }

    private mutating func put(_ number: Int) {
        var place = place(of: pieces[number].mark)
        while slots[place] != Self.free { place = (place + 1) & (slots.count - 1) }
        slots[place] = UInt32(number)
    }
}

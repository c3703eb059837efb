import Pipeline
internal import PipelineJSON

extension MergedList {
    /// The bytes of the whole value.
    func joined() -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(size)
        forEachPiece {
            text += $0
            return true
        }
        return text
    }

    /// Whether the bytes of the whole value are these.
    func isText(_ text: [UInt8]) -> Bool {
        var end = 0
        let isSame = forEachPiece { piece in
            let start = end
            end += piece.count
            return end <= text.count && text[start..<end] == piece
        }
        return isSame && end == text.count
    }

    /// Calls `body` with the bytes of the whole value, piece by piece, until it returns false.
    ///
    /// - Returns: whether that was all.
    @discardableResult
    private func forEachPiece(_ body: (ArraySlice<UInt8>) -> Bool) -> Bool {
        guard body(head) else { return false }
        var isFirst = true
        for number in order {
            let chunk = chunks[number]
            var pieces = Pieces(of: chunk.text, isFirst)
            for offset in chunk.entries.indices {
                let entry = chunk.entries[offset]
                let shared = repeated.isEmpty ? nil : shared(by: entry)
                if entry.copies == 1 || shared.map({ !$0.isShared }) ?? false {
                    pieces.add(entry.range, to: body)
                    continue
                }
                for _ in 0..<(shared == nil ? copies(of: entry) : 1) {
                    pieces.add(entry.leadRange, to: body)
                    if let shared { pieces.add(shared.value, to: body) } else { pieces.extend(entry.valueRange, to: body) }
                }
                if !entry.looseRange.isEmpty { pieces.add(entry.looseRange, to: body) }
            }
            guard pieces.end(to: body) else { return false }
            isFirst = pieces.isFirst
        }
        return body(tail)
    }
}

/// Pieces of one text, of which those that lie next to each other are handed on as one. The first element of a list has no comma before it, and
/// each other one has.
private struct Pieces {
    private let text: [UInt8]
    private(set) var isFirst: Bool
    private var pending = 0..<0
    private var isOver = false

    init(of text: [UInt8], _ isFirst: Bool) { (self.text, self.isFirst) = (text, isFirst) }

    /// Adds a piece that begins with what stands before an element.
    mutating func add(_ range: Range<Int>, to body: (ArraySlice<UInt8>) -> Bool) {
        defer { isFirst = false }
        if !isFirst, !range.isEmpty, text[range.lowerBound] == UInt8(ascii: ",") { return extend(range, to: body) }
        let comma = JSONParts.comma(in: text[range])
        if isFirst { return extend(comma.map { ($0 + 1)..<range.upperBound } ?? range, to: body) }
        if comma == nil { add([UInt8(ascii: ",")], to: body) }
        extend(range, to: body)
    }

    /// Adds a piece of another text.
    mutating func add(_ piece: ArraySlice<UInt8>, to body: (ArraySlice<UInt8>) -> Bool) {
        if !end(to: body) || !body(piece) { isOver = true }
    }

    mutating func extend(_ range: Range<Int>, to body: (ArraySlice<UInt8>) -> Bool) {
        if range.lowerBound == pending.upperBound {
            pending = pending.lowerBound..<range.upperBound
        } else {
            if !end(to: body) { isOver = true }
            pending = range
        }
    }

    /// Hands on what is left; false when no more is wanted.
    mutating func end(to body: (ArraySlice<UInt8>) -> Bool) -> Bool {
        if !isOver, !pending.isEmpty, !body(text[pending]) { isOver = true }
        pending = pending.upperBound..<pending.upperBound
        return !isOver
    }
}

/// An array in pages: where it was copied, a change copies a page and the list of pages.
struct Paged<Element: Sendable>: Sendable {
    private var pages: [[Element]] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    subscript(index: Int) -> Element {
        @inline(__always) get { pages[index >> 6][index & 63] }
    }

    mutating func append(_ element: Element) {
        if count & 63 == 0 { pages.append([]) }
        pages[pages.count - 1].append(element)
        count += 1
    }

    /// Changes an element in its place.
    @inline(__always)
    mutating func update<Value>(_ index: Int, _ body: (inout Element) -> Value) -> Value { body(&pages[index >> 6][index & 63]) }
}

internal import Pipeline
internal import PipelineJSON

/// The lists of a walk as far as they have come: the first page, and of the others the bytes of the elements alone, each once.
struct GatheredLists: Sendable {
    /// The part of each list on a page.
    struct Page {
        fileprivate struct Part {
            /// Indicates whether there is a list, and whether there is a list or null.
            var isList = false
            var isThere = false
            var elements: [(mark: ItemMark, range: Range<Int>)] = []
        }

        fileprivate let body: [UInt8]
        fileprivate var parts: [Part] = []
        /// The news of each list.
        fileprivate(set) var news: [PageCounter.News] = []

        /// Indicates whether it has no element of any list.
        var isEmpty: Bool { news.allSatisfy { $0.count == 0 } }
    }

    fileprivate struct List: Sendable {
        let place: PageList
        var pieces = PiecesByID()
        /// Indicates whether a page had a list there, or null.
        var isThere = false
        /// Indicates whether all of it is what stands in the first page.
        var isAsItCame = true
        /// The elements of the page before: their number, the first and the last.
        var before: (count: Int, first: ItemMark, last: ItemMark) = (0, .none, .none)
    }

    private var lists: [List]
    /// The places in a page of each list, of its elements, and of their ids where they have some.
    private let paths: [JSONPath]
    /// The texts that hold the pieces, the first page as the first of them.
    private var chunks: [[UInt8]] = []
    /// The number of bytes of the value that they make.
    private(set) var size = 0
    /// The number of bytes in the chunks that no piece needs any more.
    private var surplus = 0
    private let limit: Int

    /// - Parameter limit: the most bytes of the value.
    init(_ lists: [PageList], limit: Int) {
        self.lists = lists.map { List(place: $0) }
        self.limit = min(limit, PiecesByID.mostBytes - 1)
        paths = lists.flatMap { list in
            [JSONPath(list.at), JSONPath(eachOf: list.at)] + (list.id.map { [JSONPath(eachOf: list.at, $0)] } ?? [])
        }
    }

    /// The number of elements of the list that is counted.
    var count: Int { lists.first?.pieces.count ?? 0 }

    /// About how many bytes it takes in memory.
    var footprint: Int { chunks.reduce(0) { $0 + $1.count } + lists.reduce(0) { $0 + 36 * $1.pieces.count } }

    /// Reads the lists of a page. Throws for one that is no list, and where an element has no id.
    ///
    /// - Parameter body: JSON that was checked, without what is dropped.
    func read(_ body: [UInt8]) throws(SourceError) -> Page {
        var found = try SourceError.unusable { () throws(JSONScanner.Problem) in
            try JSONScanner.places(of: paths, in: body, isChecked: true)[...]
        }
        var page = Page(body: body)
        for list in lists {
            let value = found.removeFirst().first.map { body[$0.range.lowerBound] }
            let elements = found.removeFirst()
            let ids = list.place.id == nil ? nil : found.removeFirst()
            if let value, value != UInt8(ascii: "["), value != UInt8(ascii: "n") {
                let words = list.place.at.tokens.isEmpty ? "the answer" : "what stands at `\(list.place.at.description.shortened)`"
                throw .unusable("\(words) is \(JSONScalar.kind(ofValueBeginningWith: value)), and no list")
            }
            var part = Page.Part(isList: value == UInt8(ascii: "["), isThere: value != nil)
            var news = PageCounter.News(count: elements.count)
            part.elements.reserveCapacity(elements.count)
            if let ids {
                try list.read(elements, ids, of: body, &part, &news)
            } else {
                for element in elements { part.elements.append((.none, element.range)) }
            }
            news.isRepeat = isRepeat(part, of: list, in: body)
            if ids == nil { news.fresh = news.isRepeat ? 0 : news.count }
            page.parts.append(part)
            page.news.append(news)
        }
        return page
    }

    /// Indicates whether a page has the elements of the page before: those with the same ids at both ends, else those with the same bytes.
    private func isRepeat(_ part: Page.Part, of list: List, in body: [UInt8]) -> Bool {
        guard part.elements.count == list.before.count, let first = part.elements.first, let last = part.elements.last else { return false }
        if list.place.id != nil { return first.mark == list.before.first && last.mark == list.before.last }
        return zip(part.elements, list.pieces.pieces.suffix(list.before.count)).allSatisfy {
            body.hasSameBytes($0.range, as: chunks[$1.text], $1.range)
        }
    }
}

extension GatheredLists.List {
    /// Reads the elements of a list by their ids.
    fileprivate func read(
        _ elements: JSONPlaces, _ ids: JSONPlaces, of body: [UInt8], _ part: inout GatheredLists.Page.Part, _ news: inout PageCounter.News
    ) throws(SourceError) {
        var (next, fresh) = (ids.startIndex, Set<ItemMark>())
        for (number, element) in elements.enumerated() {
            var id: String?
            if next < ids.endIndex, ids[next].range.lowerBound < element.range.upperBound {
                id = JSONScalar.reference(body, at: ids[next].range)
                next += 1
            }
            guard let id, 1...PageRules.mostBytes ~= id.utf8.count else {
                let words = place.at.tokens.isEmpty ? "" : " of `\(place.at.description.shortened)`"
                throw .unusable("element \(number)\(words) has no id at `\((place.id ?? .whole).description.shortened)`")
            }
            let mark = ItemMark(id)
            if pieces[mark] != nil { news.seen += 1 } else if fresh.insert(mark).inserted { news.fresh += 1 }
            part.elements.append((mark, element.range))
        }
    }
}

extension GatheredLists {
    /// Takes in what a page has. An element with an id that came before takes its place. Throws where it becomes too much.
    ///
    /// - Parameter skipsRepeats: whether a list without ids that the page before had is left out.
    mutating func add(_ page: Page, skippingRepeats skipsRepeats: Bool) throws(SourceError) {
        let isFirst = chunks.isEmpty
        var taken: [(list: Int, mark: ItemMark, range: Range<Int>)] = []
        for (number, part) in page.parts.enumerated() {
            lists[number].isThere = lists[number].isThere || part.isThere
            if isFirst, part.isThere, !part.isList { lists[number].isAsItCame = false }
            let hasIDs = lists[number].place.id != nil
            if skipsRepeats, !hasIDs, page.news[number].isRepeat { continue }
            let count = lists[number].pieces.count
            for (index, element) in part.elements.enumerated() {
                if hasIDs, let known = lists[number].pieces[element.mark],
                    page.body.hasSameBytes(element.range, as: chunks[known.text], known.range)
                {
                    continue
                }
                taken.append((number, hasIDs ? element.mark : ItemMark(number: count + index), element.range))
            }
            lists[number].before = (part.elements.count, part.elements.first?.mark ?? .none, part.elements.last?.mark ?? .none)
        }
        if isFirst {
            try expect(page.body.count)
            size = page.body.count
            chunks.append(page.body)
        } else if !taken.isEmpty {
            let bytes = taken.reduce(0) { $0 + $1.range.count }
            try expect(size + bytes + taken.count)
            chunks.append(
                [UInt8](unsafeUninitializedCapacity: bytes) { chunk, end in
                    for element in taken { chunk.append(page.body, element.range, at: &end) }
                })
        }
        place(taken, isOfFirst: isFirst)
        if lists.reduce(0, { $0 + $1.pieces.count }) > JSONPlaces.most { throw .unusable("more than 1,000,000 elements") }
        // What was replaced takes room: as soon as that is much, what is left moves together.
        if surplus > 65_536, surplus > size / 8 { moveTogether() }
    }

    private func expect(_ size: Int) throws(SourceError) {
        if size > limit { throw .unusable("\(size) bytes, and no more than \(limit) are allowed (max_size)") }
    }

    /// Notes where the elements are that the last chunk has.
    private mutating func place(_ taken: [(list: Int, mark: ItemMark, range: Range<Int>)], isOfFirst isFirst: Bool) {
        let chunk = chunks.count - 1
        var end = 0
        for (list, mark, range) in taken {
            let place = isFirst ? range : end..<(end + range.count)
            end += range.count
            let known = lists[list].pieces.add(mark, chunk, place, replacing: true)
            if known != nil || !isFirst { lists[list].isAsItCame = false }
            if isFirst { continue }
            size += range.count + 1
            if let known {
                size -= known.range.count + 1
                if known.text > 0 { surplus += known.range.count }
            }
        }
    }

    private mutating func moveTogether() {
        let old = chunks
        let pieces = lists.flatMap { $0.pieces.pieces.filter { $0.text > 0 } }
        chunks = [
            old[0],
            [UInt8](unsafeUninitializedCapacity: pieces.reduce(0) { $0 + $1.range.count }) { chunk, end in
                for piece in pieces { chunk.append(old[piece.text], piece.range, at: &end) }
            },
        ]
        var end = 0
        for list in lists.indices {
            lists[list].pieces.move { piece in
                guard piece.text > 0 else { return (0, piece.range) }
                defer { end += piece.range.count }
                return (1, end..<(end + piece.range.count))
            }
        }
        surplus = 0
    }
}

extension GatheredLists {
    /// The first page with all elements in its lists. A list that was null on all pages is empty; one that was on none stays away.
    ///
    /// - Parameter first: the most elements of the list that is counted; nil for all.
    func whole(first: Int?) throws(SourceError) -> [UInt8] {
        try SourceError.unusable { () throws(JSONScanner.Problem) in try assembled(first: first) }
    }

    private func assembled(first: Int?) throws(JSONScanner.Problem) -> [UInt8] {
        var frame = chunks.first ?? []
        let pointers = lists.map { JSONPath($0.place.at) }
        for (list, places) in zip(lists, try JSONScanner.places(of: pointers, in: frame, isChecked: true)) {
            if list.isThere, places.isEmpty { frame = try JSONSplice.setting(Array("[]".utf8), at: list.place.at, in: frame) }
        }
        var edits: [(range: Range<Int>, pieces: ArraySlice<PiecesByID.Piece>)] = []
        for (number, places) in try JSONScanner.places(of: pointers, in: frame, isChecked: true).enumerated() {
            let (list, most) = (lists[number], number == 0 ? max(0, first ?? .max) : .max)
            guard let place = places.first, !list.isAsItCame || list.pieces.count > most else { continue }
            edits.append((place.range, list.pieces.pieces.prefix(most)))
        }
        edits.sort { $0.range.lowerBound < $1.range.lowerBound }
        for (edit, next) in zip(edits, edits.dropFirst()) where next.range.lowerBound < edit.range.upperBound {
            throw JSONScanner.Problem("one list stands in another")
        }
        let sizes = edits.map { edit in edit.pieces.reduce(2 + max(0, edit.pieces.count - 1)) { $0 + $1.range.count } }
        let size = zip(edits, sizes).reduce(frame.count) { $0 + $1.1 - $1.0.range.count }
        try JSONScanner.expectSize(size, limit: limit)
        return [UInt8](unsafeUninitializedCapacity: size) { result, end in
            var done = 0
            for edit in edits {
                result.append(frame, done..<edit.range.lowerBound, at: &end)
                result.appendList(of: edit.pieces.lazy.map { (chunks[$0.text], $0.range) }, at: &end)
                done = edit.range.upperBound
            }
            result.append(frame, done..<frame.count, at: &end)
        }
    }
}

extension ItemMark {
    /// The mark of an element that is told from others by its number alone.
    fileprivate init(number: Int) { self = withUnsafeBytes(of: number) { ItemMark($0) } }
}

extension [UInt8] {
    /// Indicates whether the bytes at `range` are those of another text at `other`.
    fileprivate func hasSameBytes(_ range: Range<Int>, as text: [UInt8], _ other: Range<Int>) -> Bool {
        withUnsafeBufferPointer { own in
            text.withUnsafeBufferPointer {
                UnsafeBufferPointer(rebasing: own[range]).hasSameBytes(as: UnsafeBufferPointer(rebasing: $0[other]))
            }
        }
    }
}

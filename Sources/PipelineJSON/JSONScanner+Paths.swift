extension JSONScanner {
    /// The places of each of `paths`, in the order of the text, each once: found in one pass.
    ///
    /// Names are compared by their UTF-8 bytes once their escapes are decoded. Throws where a name that a path follows occurs twice in an
    /// object: it could be either, and where there are more than a million places. A pointer that leads nowhere finds nothing.
    ///
    /// - Parameters:
    ///   - payload: JSON.
    ///   - range: the value in `payload` that the paths begin at; nil for all of it.
    ///   - isChecked: whether all of it was found to be JSON before. What no path leads through is passed over then; of another text the
    ///     places are meaningless, and within it all the same.
    package static func places(
        of paths: [JSONPath], in payload: [UInt8], at range: Range<Int>? = nil, isChecked: Bool = false
    ) throws(Problem) -> [JSONPlaces] {
        try payload.withUnsafeBufferPointer { bytes throws(Problem) in
            if bytes.count > JSONPlaces.mostBytes { throw Problem(message: "more than 2 GiB", offset: 0) }
            let scanner = JSONScanner(bytes, at: range)
            var finder = PlaceFinder(scanner, paths, isChecked: isChecked)
            return try finder.found()
        }
    }

    /// The places of `path`. See ``places(of:in:at:)-([JSONPath],_,_)``.
    package static func places(of path: JSONPath, in payload: [UInt8], at range: Range<Int>? = nil) throws(Problem) -> JSONPlaces {
        try places(of: [path], in: payload, at: range)[0]
    }

    /// The place that `pointer` names; nil if there is none. See ``places(of:in:at:)-([JSONPath],_,_)``.
    package static func place(of pointer: JSONPointer, in payload: [UInt8], at range: Range<Int>? = nil) throws(Problem) -> JSONPlace? {
        try places(of: JSONPath(pointer), in: payload, at: range).first
    }
}

/// One pass over a text that follows paths: only arrays and objects on the way are entered, and no more than a holder is noted for each of them.
///
/// Where something begins is handed on, and where it ends comes back.
private struct PlaceFinder {
    typealias Problem = JSONScanner.Problem
    private typealias Step = JSONPlaces.Step
    private typealias Holder = JSONPlaces.Holder

    private let text: JSONScanner
    /// Indicates whether the text was checked before: what is passed over needs no second look.
    private let isChecked: Bool
    private var tree: PathTree
    private var places: [JSONPlaces]
    /// The arrays and objects that were entered, without those in which nothing was found.
    private var holders: [Holder] = []
    private var placeCount = 0
    /// The names that paths follow in the objects that are entered, without the first of each.
    private var followed: [Range<Int>] = []

    init(_ text: JSONScanner, _ paths: [JSONPath], isChecked: Bool) {
        (self.text, self.isChecked) = (text, isChecked)
        tree = PathTree(paths)
        places = paths.map { JSONPlaces(depth: $0.segments.count) }
    }

    mutating func found() throws(Problem) -> [JSONPlaces] {
        _ = try value(at: 0, text.endOfSpace(at: text.index), .index(0), of: Holder.none, 0)
        for path in places.indices { places[path].holders = holders }
        return places
    }

    /// Reads the value at `start`, to which paths have come at `node`.
    ///
    /// - Parameters:
    ///   - holder: what holds it; `step` says which part it is of that.
    ///   - depth: how many arrays and objects are around it.
    @inline(__always)
    private mutating func value(at node: Int, _ start: Int, _ step: Step, of holder: Int, _ depth: Int) throws(Problem) -> Int {
        let byte = tree.goesOn(node) ? text.byte(at: start) : nil
        let end: Int
        if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
            let (number, count) = (holders.count, placeCount)
            // What is skipped counts from where it begins.
            if depth >= JSONScanner.maximumDepth { throw text.tooDeep(at: start) }
            holders.append(Holder(outer: holder, step: step, start: start, end: start))
            end = try byte == UInt8(ascii: "{") ? object(at: node, start, number, depth) : array(at: node, start, number, depth)
            if placeCount == count { holders.removeLast() } else { holders[number].end = end }
        } else {
            end = try endOfValue(at: start)
        }
        var isTooMany = false
        tree.forEachPath(endingAt: node) {
            places[$0].append(start..<end, step, of: holder)
            if places[$0].count > JSONPlaces.most { isTooMany = true }
            placeCount += 1
        }
        if isTooMany { throw Problem(message: "more than 1,000,000 elements", offset: start) }
        return end
    }

    @inline(__always)
    private func endOfValue(at start: Int) throws(Problem) -> Int {
        isChecked ? try text.endOfCheckedValue(at: start) : try text.endOfValue(at: start)
    }

    /// The name at `start` with its quotes, and where the value begins that follows the colon.
    @inline(__always)
    private func name(at start: Int) throws(Problem) -> (range: Range<Int>, hasEscape: Bool, value: Int) {
        if !isChecked { return try text.name(at: start) }
        guard text.byte(at: start) == UInt8(ascii: "\"") else { throw text.problem("expected a name in quotes", at: start) }
        let (end, hasEscape) = try text.endOfCheckedString(at: start)
        let colon = text.endOfSpace(at: end)
        guard text.byte(at: colon) == UInt8(ascii: ":") else { throw text.problem("expected `:`", at: colon) }
        return (start..<end, hasEscape, text.endOfSpace(at: colon + 1))
    }
}

extension PlaceFinder {
    private mutating func array(at node: Int, _ start: Int, _ number: Int, _ depth: Int) throws(Problem) -> Int {
        let count = tree.counts(node) ? try count(start) : 0
        let ofEach = tree.nodeOfEachElement(after: node)
        var end = text.endOfSpace(at: start + 1)
        if text.byte(at: end) != UInt8(ascii: "]") {
            var index = 0
            while true {
                if let next = ofEach ?? tree.next(after: node, by: index, of: count) {
                    end = try value(at: next, end, .index(index), of: number, depth + 1)
                } else {
                    end = try endOfValue(at: end)
                }
                end = text.endOfSpace(at: end)
                index += 1
                if index == Self.sampled { reserve(from: start, to: end, behind: number) }
                guard text.byte(at: end) == UInt8(ascii: ",") else { break }
                end = text.endOfSpace(at: end + 1)
            }
        }
        guard text.byte(at: end) == UInt8(ascii: "]") else { throw text.problem("expected `,` or `]`", at: end) }
        return end + 1
    }

    /// The number of elements of an array after which there is room for the places in the others.
    private static let sampled = 64

    /// Makes room for the places in the rest of the text, where those in an array that begins at `start` are as frequent as up to `end`. Growing
    /// with each would copy all that were found before.
    ///
    /// - Parameter number: the array's number among the holders.
    private mutating func reserve(from start: Int, to end: Int, behind number: Int) {
        let share = Double(text.bytes.count - end) / Double(end - start)
        func more(_ count: Int) -> Int { Int(min(Double(JSONPlaces.most), Double(count) * share)) }
        for path in places.indices { places[path].reserve(more(places[path].count)) }
        if holders.count <= 1_000 { holders.reserveCapacity(holders.count + more(holders.count - number - 1)) }
    }

    /// The number of elements of the array at `start`.
    private func count(_ start: Int) throws(Problem) -> Int {
        var end = text.endOfSpace(at: start + 1)
        if text.byte(at: end) == UInt8(ascii: "]") { return 0 }
        var count = 1
        while true {
            end = text.endOfSpace(at: try endOfValue(at: end))
            guard text.byte(at: end) == UInt8(ascii: ",") else { return count }
            end = text.endOfSpace(at: end + 1)
            count += 1
        }
    }

    private mutating func object(at node: Int, _ start: Int, _ number: Int, _ depth: Int) throws(Problem) -> Int {
        let others = followed.count
        var first: Range<Int>?
        var many: Set<[UInt8]>?
        var end = text.endOfSpace(at: start + 1)
        if text.byte(at: end) != UInt8(ascii: "}") {
            while true {
                let name = try name(at: end)
                if let next = tree.next(after: node, by: name.range, hasEscape: name.hasEscape, of: text) {
                    if let first {
                        try follow(name.range, after: first, from: others, &many)
                    } else {
                        first = name.range
                    }
                    end = try value(at: next, name.value, .name(at: name.range.lowerBound), of: number, depth + 1)
                } else {
                    end = try endOfValue(at: name.value)
                }
                end = text.endOfSpace(at: end)
                guard text.byte(at: end) == UInt8(ascii: ",") else { break }
                end = text.endOfSpace(at: end + 1)
            }
        }
        guard text.byte(at: end) == UInt8(ascii: "}") else { throw text.problem("expected `,` or `}`", at: end) }
        if followed.count > others { followed.removeLast(followed.count - others) }
        return end + 1
    }

    /// Notes that a path follows `name` in an object, where one follows `first` and those from `others` on. Throws where it is one of them.
    @inline(never)
    private mutating func follow(
        _ name: Range<Int>, after first: Range<Int>, from others: Int, _ many: inout Set<[UInt8]>?
    ) throws(Problem) {
        let isRepeated: Bool
        if followed.count - others < 7 {
            isRepeated = text.areEqual(first, name) || followed[others...].contains { text.areEqual($0, name) }
            followed.append(name)
        } else {
            // Only a wildcard follows so many.
            if many == nil { many = Set(([first] + followed[others...]).map { Array(text.name($0).utf8) }) }
            isRepeated = many?.insert(Array(text.name(name).utf8)).inserted == false
        }
        if isRepeated {
            throw Problem(message: "the name `\(text.name(name).shortened)` occurs twice in an object", offset: name.lowerBound)
        }
    }
}

extension JSONScanner {
    @inline(never)
    fileprivate func endOfValue(at start: Int) throws(Problem) -> Int {
        var scanner = self
        scanner.index = start
        try scanner.skipValue()
        return scanner.index
    }

    @inline(never)
    fileprivate func name(at start: Int) throws(Problem) -> (range: Range<Int>, hasEscape: Bool, value: Int) {
        var scanner = self
        scanner.index = start
        let range = try scanner.readName()
        return (range, inner(range).contains(UInt8(ascii: "\\")), scanner.index)
    }

    /// The characters of the name at `range`, which includes its quotes.
    func name(_ range: Range<Int>) -> String { JSONScalar.decoded(inner(range)) }

    /// Indicates whether two names, quotes included, are the same.
    fileprivate func areEqual(_ one: Range<Int>, _ other: Range<Int>) -> Bool {
        if one.count == other.count, inner(one).elementsEqual(inner(other)) { return true }
        guard inner(one).contains(UInt8(ascii: "\\")) || inner(other).contains(UInt8(ascii: "\\")) else { return false }
        return name(one).utf8.elementsEqual(name(other).utf8)
    }

    /// The bytes between the quotes.
    func inner(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: bytes[(range.lowerBound + 1)..<(range.upperBound - 1)])
    }
}

extension String {
    /// The beginning of a name that may be of any length.
    var shortened: String { count > 60 ? prefix(60) + "…" : self }
}

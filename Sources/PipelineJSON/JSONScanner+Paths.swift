extension JSONScanner {
    /// The places of each of `paths`, in the order of the text, each once: found in one pass.
    ///
    /// Names are compared by their UTF-8 bytes once their escapes are decoded. Throws where a name that a path follows occurs twice in an
    /// object: it could be either. A pointer that leads nowhere finds nothing.
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
            var scanner = JSONScanner(bytes, at: range)
            scanner.isChecked = isChecked
            var finder = PlaceFinder(scanner, paths)
            return try finder.found()
        }
    }

    /// The places of `path`. See ``places(of:in:at:)-([JSONPath],_,_)``.
    package static func places(of path: JSONPath, in payload: [UInt8], at range: Range<Int>? = nil) throws(Problem) -> JSONPlaces {
        try places(of: [path], in: payload, at: range)[0]
    }

    /// The place that `pointer` names; nil where there is none. See ``places(of:in:at:)-([JSONPath],_,_)``.
    package static func place(of pointer: JSONPointer, in payload: [UInt8], at range: Range<Int>? = nil) throws(Problem) -> JSONPlace? {
        try places(of: JSONPath(pointer), in: payload, at: range).first
    }
}

/// One pass over a text that follows paths: only arrays and objects on the way are entered, and nothing is allocated for each of them.
private struct PlaceFinder {
    typealias Problem = JSONScanner.Problem

    private var scanner: JSONScanner
    private var tree: PathTree
    private var places: [JSONPlaces]
    /// The steps to the present value.
    private var steps: [JSONPlaces.Step] = []
    /// The names that paths follow in the objects that are entered.
    private var followed: [Range<Int>] = []

    init(_ scanner: JSONScanner, _ paths: [JSONPath]) {
        self.scanner = scanner
        tree = PathTree(paths)
        places = paths.map { JSONPlaces(depth: $0.segments.count) }
    }

    mutating func found() throws(Problem) -> [JSONPlaces] {
        scanner.skipSpace()
        let start = scanner.index
        try value(at: 0, holder: start)
        tree.forEachPath(endingAt: 0) { places[$0].close(start..<scanner.index) }
        return places
    }

    /// Reads the value at hand, to which paths have come at `node`.
    ///
    /// - Parameter holder: where the array or object begins that holds it.
    @inline(__always)
    private mutating func value(at node: Int, holder: Int) throws(Problem) {
        let start = scanner.index
        switch scanner.peek {
        case UInt8(ascii: "{") where tree.goesOn(node): try object(at: node)
        case UInt8(ascii: "[") where tree.goesOn(node): try array(at: node)
        default: try scanner.skipValue()
        }
        tree.forEachPath(endingAt: node) { places[$0].append(start..<scanner.index, in: holder, steps) }
    }

    @inline(__always)
    private mutating func enter() throws(Problem) {
        // What is skipped counts from where it begins.
        if steps.count >= JSONScanner.maximumDepth { throw scanner.problem("nested deeper than \(JSONScanner.maximumDepth)") }
        scanner.index += 1
        scanner.skipSpace()
    }

    /// Reads a child to which paths have come at `node`.
    @inline(__always)
    private mutating func child(_ step: JSONPlaces.Step, at node: Int, holder: Int) throws(Problem) {
        if tree.goesOn(node) {
            steps.append(step)
            try value(at: node, holder: holder)
            steps.removeLast()
        } else {
            let start = scanner.index
            try scanner.skipValue()
            tree.forEachPath(endingAt: node) { places[$0].append(start..<scanner.index, in: holder, steps, step) }
        }
    }
}

extension PlaceFinder {
    private mutating func array(at node: Int) throws(Problem) {
        let start = scanner.index
        let count = tree.counts(node) ? try count() : 0
        let ofEach = tree.nodeOfEachElement(after: node)
        try enter()
        if scanner.peek != UInt8(ascii: "]") {
            var index = 0
            repeat {
                scanner.skipSpace()
                if let next = ofEach ?? tree.next(after: node, by: index, of: count) {
                    try child(.index(index), at: next, holder: start)
                } else {
                    try scanner.skipValue()
                }
                scanner.skipSpace()
                index += 1
                if index == Self.sampled { reserve(since: start) }
            } while scanner.take(UInt8(ascii: ","))
        }
        guard scanner.take(UInt8(ascii: "]")) else { throw scanner.problem("expected `,` or `]`") }
        tree.forEachPath(endingBelow: node) { places[$0].close(start..<scanner.index) }
    }

    /// After how many elements of an array there is room for the places in the others.
    private static let sampled = 64

    /// Makes room for the places in the rest of the text, where those in an array that begins at `start` are as frequent there. Growing with
    /// each would copy all that were found before.
    private mutating func reserve(since start: Int) {
        let (read, rest) = (Double(scanner.index - start), Double(scanner.bytes.count - scanner.index))
        for path in places.indices { places[path].reserve(Int(min(100_000, Double(places[path].count) * rest / read))) }
    }

    /// How many elements the array at hand has.
    private func count() throws(Problem) -> Int {
        var ahead = scanner
        ahead.index += 1
        ahead.skipSpace()
        if ahead.peek == UInt8(ascii: "]") { return 0 }
        var count = 0
        repeat {
            ahead.skipSpace()
            try ahead.skipValue()
            ahead.skipSpace()
            count += 1
        } while ahead.take(UInt8(ascii: ","))
        return count
    }

    private mutating func object(at node: Int) throws(Problem) {
        let (start, firstName) = (scanner.index, followed.count)
        var holdsPlaces = false
        var many: Set<[UInt8]>?
        try enter()
        if scanner.peek != UInt8(ascii: "}") {
            repeat {
                scanner.skipSpace()
                let name = try scanner.readName()
                if let next = tree.next(after: node, by: name, of: scanner) {
                    try follow(name, from: firstName, &many)
                    try child(.name(at: name.lowerBound), at: next, holder: start)
                    if tree.isEnd(next) { holdsPlaces = true }
                } else {
                    try scanner.skipValue()
                }
                scanner.skipSpace()
            } while scanner.take(UInt8(ascii: ","))
        }
        guard scanner.take(UInt8(ascii: "}")) else { throw scanner.problem("expected `,` or `}`") }
        // One by one: there are few, and removing a range costs more.
        while followed.count > firstName { followed.removeLast() }
        if holdsPlaces { tree.forEachPath(endingBelow: node) { places[$0].close(start..<scanner.index) } }
    }

    /// Notes that a path follows `name` in an object whose others stand from `first` on. Throws where it is one of them.
    @inline(__always)
    private mutating func follow(_ name: Range<Int>, from first: Int, _ many: inout Set<[UInt8]>?) throws(Problem) {
        let isRepeated: Bool
        if followed.count - first < 8 {
            isRepeated = (first..<followed.count).contains { scanner.areEqual(followed[$0], name) }
            followed.append(name)
        } else {
            // Only a wildcard follows so many.
            if many == nil { many = Set(followed[first...].map { Array(scanner.name($0).utf8) }) }
            isRepeated = many?.insert(Array(scanner.name(name).utf8)).inserted == false
        }
        if isRepeated {
            throw Problem(message: "the name `\(scanner.name(name).shortened)` occurs twice in an object", offset: name.lowerBound)
        }
    }
}

extension JSONScanner {
    /// The characters of the name at `range`, which includes its quotes.
    func name(_ range: Range<Int>) -> String { JSONScalar.decoded(inner(range)) }

    /// Whether two names, quotes included, are the same.
    fileprivate func areEqual(_ one: Range<Int>, _ other: Range<Int>) -> Bool {
        if one.count == other.count, inner(one).elementsEqual(inner(other)) { return true }
        guard inner(one).contains(UInt8(ascii: "\\")) || inner(other).contains(UInt8(ascii: "\\")) else { return false }
        return name(one).utf8.elementsEqual(name(other).utf8)
    }

    private func inner(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: bytes[(range.lowerBound + 1)..<(range.upperBound - 1)])
    }
}

extension String {
    /// The beginning of a name that may be of any length.
    fileprivate var shortened: String { count > 60 ? prefix(60) + "…" : self }
}

extension JSONScanner {
    /// The places of each of `paths`, in the order of the text, each once: found in one pass.
    ///
    /// Names are compared by their UTF-8 bytes once their escapes are decoded. Throws where a name that a path follows occurs twice in an
    /// object: it could be either. A pointer that leads nowhere finds nothing.
    ///
    /// - Parameters:
    ///   - payload: JSON.
    ///   - range: the value in `payload` that the paths begin at; nil for all of it.
    package static func places(of paths: [JSONPath], in payload: [UInt8], at range: Range<Int>? = nil) throws(Problem) -> [JSONPlaces] {
        try payload.withUnsafeBufferPointer { bytes throws(Problem) in
            var finder = PlaceFinder(JSONScanner(bytes, at: range), paths)
            return try finder.found()
        }
    }

    /// The places of `path`. See ``places(of:in:at:)-([JSONPath],_,_)``.
    package static func places(of path: JSONPath, in payload: [UInt8], at range: Range<Int>? = nil) throws(Problem) -> JSONPlaces {
        try places(of: [path], in: payload, at: range).first ?? JSONPlaces()
    }

    /// The place that `pointer` names; nil where there is none. See ``places(of:in:at:)-([JSONPath],_,_)``.
    package static func place(of pointer: JSONPointer, in payload: [UInt8], at range: Range<Int>? = nil) throws(Problem) -> JSONPlace? {
        try places(of: JSONPath(pointer), in: payload, at: range).first
    }
}

/// One pass over a text that follows paths: only arrays and objects on the way are entered, and nothing is allocated for each of them.
private struct PlaceFinder {
    typealias Problem = JSONScanner.Problem

    /// A path that has come as far as a value.
    private struct Front {
        let path: Int
        /// The selectors that its children must match; those of all paths stand in one list.
        let segment: Int
        /// Where the segments of the path end.
        let end: Int
    }

    private var scanner: JSONScanner
    private let selectors: PathSelectors
    private var places: [JSONPlaces]
    /// The fronts of the values that are entered, those of the innermost last.
    private var fronts: [Front] = []
    /// The steps to the present value.
    private var steps: [JSONPlaces.Step] = []
    /// The places whose holder has not ended.
    private var open: [(path: Int, place: Int)] = []
    /// The names that paths follow in the objects that are entered.
    private var followed: [Range<Int>] = []

    init(_ scanner: JSONScanner, _ paths: [JSONPath]) {
        self.scanner = scanner
        selectors = PathSelectors(paths)
        places = paths.map { _ in JSONPlaces() }
    }

    mutating func found() throws(Problem) -> [JSONPlaces] {
        scanner.skipSpace()
        let start = scanner.index
        for (path, segments) in selectors.paths.enumerated() {
            fronts.append(Front(path: path, segment: segments.lowerBound, end: segments.upperBound))
        }
        try value(from: 0)
        close(from: 0, holder: start..<scanner.index)
        return places
    }

    /// Reads the value at hand, to which the fronts from `begin` on have come.
    private mutating func value(from begin: Int) throws(Problem) {
        let (start, firstOpen) = (scanner.index, open.count)
        var isEntered = false
        for position in begin..<fronts.count {
            let front = fronts[position]
            if front.segment == front.end { add(to: front.path, at: start) } else { isEntered = true }
        }
        let lastOpen = open.count
        switch scanner.peek {
        case UInt8(ascii: "{") where isEntered: try object(from: begin)
        case UInt8(ascii: "[") where isEntered: try array(from: begin)
        default: try scanner.skipValue()
        }
        for position in firstOpen..<lastOpen {
            let (path, place) = open[position]
            places[path].places[place].range = start..<scanner.index
        }
    }

    private mutating func add(to path: Int, at start: Int) {
        open.append((path, places[path].places.count))
        let first = places[path].steps.count
        places[path].steps += steps
        places[path].places.append(
            JSONPlace(range: start..<start, holder: start..<start, depth: steps.count, steps: first..<(first + steps.count)))
    }

    /// The places from `begin` on are in `holder`.
    private mutating func close(from begin: Int, holder: Range<Int>) {
        for position in begin..<open.count {
            let (path, place) = open[position]
            places[path].places[place].holder = holder
        }
        open.shorten(to: begin)
    }

    private mutating func enter() throws(Problem) {
        // What is skipped counts from where it begins.
        if steps.count >= JSONScanner.maximumDepth { throw scanner.problem("nested deeper than \(JSONScanner.maximumDepth)") }
        scanner.index += 1
        scanner.skipSpace()
    }

    /// Reads a child, to which the fronts from `begin` on have come, and forgets those.
    private mutating func child(_ step: JSONPlaces.Step, from begin: Int) throws(Problem) {
        guard begin < fronts.count else { return try scanner.skipValue() }
        steps.append(step)
        try value(from: begin)
        steps.removeLast()
        fronts.shorten(to: begin)
    }

    private mutating func advance(_ front: Front) {
        fronts.append(Front(path: front.path, segment: front.segment + 1, end: front.end))
    }
}

extension PlaceFinder {
    private mutating func array(from begin: Int) throws(Problem) {
        let (start, end, firstOpen) = (scanner.index, fronts.count, open.count)
        let countMatters = (begin..<end).contains { fronts[$0].segment < fronts[$0].end && selectors.count(fronts[$0].segment) }
        let count = countMatters ? try count() : 0
        try enter()
        if scanner.peek != UInt8(ascii: "]") {
            var index = 0
            repeat {
                scanner.skipSpace()
                for position in begin..<end {
                    let front = fronts[position]
                    if front.segment < front.end, selectors.take(index, of: count, front.segment) { advance(front) }
                }
                try child(.index(index), from: end)
                scanner.skipSpace()
                index += 1
            } while scanner.take(UInt8(ascii: ","))
        }
        guard scanner.take(UInt8(ascii: "]")) else { throw scanner.problem("expected `,` or `]`") }
        close(from: firstOpen, holder: start..<scanner.index)
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

    private mutating func object(from begin: Int) throws(Problem) {
        let (start, end, firstOpen, firstName) = (scanner.index, fronts.count, open.count, followed.count)
        var many: Set<[UInt8]>?
        try enter()
        if scanner.peek != UInt8(ascii: "}") {
            repeat {
                scanner.skipSpace()
                let name = try scanner.readName()
                for position in begin..<end {
                    let front = fronts[position]
                    if front.segment < front.end, selectors.take(name, of: scanner, front.segment) { advance(front) }
                }
                if fronts.count > end { try follow(name, from: firstName, &many) }
                try child(.name(name), from: end)
                scanner.skipSpace()
            } while scanner.take(UInt8(ascii: ","))
        }
        guard scanner.take(UInt8(ascii: "}")) else { throw scanner.problem("expected `,` or `}`") }
        followed.shorten(to: firstName)
        close(from: firstOpen, holder: start..<scanner.index)
    }

    /// Notes that a path follows `name` in an object whose others stand from `first` on. Throws where it is one of them.
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

extension Array {
    /// Removes what follows the first `count` elements: a few at most, one by one, where removing a range would cost more.
    fileprivate mutating func shorten(to count: Int) {
        while self.count > count { removeLast() }
    }
}

extension String {
    /// The beginning of a name that may be of any length.
    fileprivate var shortened: String { count > 60 ? prefix(60) + "…" : self }
}

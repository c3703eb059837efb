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

/// One pass over a text that follows paths: only arrays and objects on the way are entered.
private struct PlaceFinder {
    typealias Problem = JSONScanner.Problem

    /// A path that has come as far as a value.
    private struct Front {
        let path: Int
        /// The segment that its children must match.
        let segment: Int
    }

    private var scanner: JSONScanner
    private let paths: [JSONPath]
    private var places: [JSONPlaces]
    /// The fronts of the values that are entered, those of the innermost last.
    private var fronts: [Front] = []
    /// The steps to the present value.
    private var steps: [JSONPlaces.Step] = []
    /// For each place whose holder has not ended.
    private var open: [(path: Int, place: Int)] = []

    init(_ scanner: JSONScanner, _ paths: [JSONPath]) {
        self.scanner = scanner
        self.paths = paths
        places = paths.map { _ in JSONPlaces() }
    }

    mutating func found() throws(Problem) -> [JSONPlaces] {
        scanner.skipSpace()
        let start = scanner.index
        for path in paths.indices { fronts.append(Front(path: path, segment: 0)) }
        try value(from: 0)
        close(from: 0, holder: start..<scanner.index)
        return places
    }

    /// Reads the value at hand, to which the fronts from `begin` on have come.
    private mutating func value(from begin: Int) throws(Problem) {
        let start = scanner.index
        let firstOpen = open.count
        var isEntered = false
        for front in fronts[begin...] {
            if front.segment == paths[front.path].segments.count {
                open.append((front.path, places[front.path].places.count))
                add(to: front.path, at: start)
            } else {
                isEntered = true
            }
        }
        switch scanner.peek {
        case UInt8(ascii: "{") where isEntered: try object(from: begin)
        case UInt8(ascii: "[") where isEntered: try array(from: begin)
        default: try scanner.skipValue()
        }
        for (path, place) in open[firstOpen...] where places[path].places[place].range.lowerBound == start {
            places[path].places[place].end(at: scanner.index)
        }
    }

    private mutating func add(to path: Int, at start: Int) {
        let first = places[path].steps.count
        places[path].steps += steps
        places[path].places.append(
            JSONPlace(range: start..<start, holder: start..<start, depth: steps.count, steps: first..<(first + steps.count)))
    }

    /// The places from `begin` on are in `holder`.
    private mutating func close(from begin: Int, holder: Range<Int>) {
        for (path, place) in open[begin...] { places[path].places[place].holder = holder }
        open.removeLast(open.count - begin)
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
        fronts.removeLast(fronts.count - begin)
    }
}

extension PlaceFinder {
    private mutating func array(from begin: Int) throws(Problem) {
        let (start, end, firstOpen) = (scanner.index, fronts.count, open.count)
        let count = countMatters(begin..<end) ? try count() : 0
        try enter()
        if scanner.peek != UInt8(ascii: "]") {
            var index = 0
            repeat {
                scanner.skipSpace()
                for position in begin..<end where takes(index, of: count, fronts[position]) { advance(position) }
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

    /// Whether a front counts elements from the end.
    private func countMatters(_ range: Range<Int>) -> Bool {
        fronts[range].contains { front in
            selectors(of: front).contains { selector in
                switch selector {
                case .index(let index): index < 0
                case .slice: true
                case .name, .wildcard, .token: false
                }
            }
        }
    }

    private func selectors(of front: Front) -> [JSONPath.Selector] {
        let segments = paths[front.path].segments
        return front.segment < segments.count ? segments[front.segment] : []
    }

    private mutating func advance(_ position: Int) {
        fronts.append(Front(path: fronts[position].path, segment: fronts[position].segment + 1))
    }

    private func takes(_ index: Int, of count: Int, _ front: Front) -> Bool {
        for selector in selectors(of: front) {
            switch selector {
            case .wildcard: return true
            case .index(let wanted): if wanted == index || wanted < 0 && wanted + count == index { return true }
            case .slice(let slice): if slice.takes(index, of: count) { return true }
            case .token(let token): if JSONPlaces.position(token) == index { return true }
            case .name: break
            }
        }
        return false
    }
}

extension PlaceFinder {
    private mutating func object(from begin: Int) throws(Problem) {
        let (start, end, firstOpen) = (scanner.index, fronts.count, open.count)
        var names = FoundNames()
        try enter()
        if scanner.peek != UInt8(ascii: "}") {
            repeat {
                scanner.skipSpace()
                let name = try scanner.readName()
                for position in begin..<end where takes(name, fronts[position]) { advance(position) }
                if fronts.count > end, let twice = names.repeated(name, in: scanner) {
                    throw Problem(message: "the name `\(twice)` occurs twice in an object", offset: name.lowerBound)
                }
                try child(.name(name), from: end)
                scanner.skipSpace()
            } while scanner.take(UInt8(ascii: ","))
        }
        guard scanner.take(UInt8(ascii: "}")) else { throw scanner.problem("expected `,` or `}`") }
        close(from: firstOpen, holder: start..<scanner.index)
    }

    private func takes(_ name: Range<Int>, _ front: Front) -> Bool {
        for selector in selectors(of: front) {
            switch selector {
            case .wildcard: return true
            case .name(let wanted), .token(let wanted): if scanner.isName(name, wanted) { return true }
            case .index, .slice: break
            }
        }
        return false
    }
}

/// The names of an object that a path follows: few, unless it follows all.
private struct FoundNames {
    private var few: [Range<Int>] = []
    private var many: Set<[UInt8]> = []

    /// The name at `range` where it was there before; notes it otherwise.
    mutating func repeated(_ range: Range<Int>, in scanner: JSONScanner) -> String? {
        if many.isEmpty, few.count < 8 {
            if let known = few.first(where: { scanner.areEqual($0, range) }) { return scanner.name(known).shortened }
            few.append(range)
            return nil
        }
        if many.isEmpty { many = Set(few.map { Array(scanner.name($0).utf8) }) }
        let name = scanner.name(range)
        return many.insert(Array(name.utf8)).inserted ? nil : name.shortened
    }
}

extension JSONScanner {
    /// The characters of the name at `range`, which includes its quotes.
    fileprivate func name(_ range: Range<Int>) -> String { JSONScalar.decoded(inner(range)) }

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

extension JSONPlace {
    fileprivate mutating func end(at end: Int) { range = range.lowerBound..<end }
}

extension String {
    /// The beginning of a name that may be of any length.
    fileprivate var shortened: String { count > 60 ? prefix(60) + "…" : self }
}

/// The selectors of several paths in one list, without anything that is counted.
struct PathSelectors {
    private enum Selector {
        case wildcard
        /// Where a name stands among the names.
        case name(start: Int, end: Int)
        case index(Int)
        case slice(JSONSlice)
        /// A name that may be an index.
        case token(start: Int, end: Int, position: Int?)
    }

    private var selectors: [Selector] = []
    private var segments: [Range<Int>] = []
    private var names: [UInt8] = []
    /// The segments of each path.
    private(set) var paths: [Range<Int>] = []

    init(_ paths: [JSONPath]) {
        for path in paths {
            let begin = segments.count
            for segment in path.segments {
                let first = selectors.count
                for selector in segment { append(selector) }
                segments.append(first..<selectors.count)
            }
            self.paths.append(begin..<segments.count)
        }
    }

    private mutating func append(_ selector: JSONPath.Selector) {
        let start = names.count
        switch selector {
        case .wildcard: selectors.append(.wildcard)
        case .index(let index): selectors.append(.index(index))
        case .slice(let slice): selectors.append(.slice(slice))
        case .name(let name):
            names += name.utf8
            selectors.append(.name(start: start, end: names.count))
        case .token(let token):
            names += token.utf8
            selectors.append(.token(start: start, end: names.count, position: JSONPlaces.position(token)))
        }
    }

    /// Whether the segment goes by how many elements there are.
    func count(_ segment: Int) -> Bool {
        segments[segment].contains { position in
            switch selectors[position] {
            case .index(let index): index < 0
            case .slice: true
            case .wildcard, .name, .token: false
            }
        }
    }

    /// Whether the segment takes the element at `index`.
    func take(_ index: Int, of count: Int, _ segment: Int) -> Bool {
        for position in segments[segment] {
            switch selectors[position] {
            case .wildcard: return true
            case .index(let wanted): if wanted == index || wanted < 0 && wanted + count == index { return true }
            case .slice(let slice): if slice.takes(index, of: count) { return true }
            case .token(_, _, let wanted): if wanted == index { return true }
            case .name: break
            }
        }
        return false
    }

    /// Whether the segment takes the member whose name stands at `range`.
    func take(_ range: Range<Int>, of scanner: JSONScanner, _ segment: Int) -> Bool {
        for position in segments[segment] {
            switch selectors[position] {
            case .wildcard: return true
            case .name(let start, let end), .token(let start, let end, _): if isName(start..<end, range, of: scanner) { return true }
            case .index, .slice: break
            }
        }
        return false
    }

    private func isName(_ name: Range<Int>, _ range: Range<Int>, of scanner: JSONScanner) -> Bool {
        // An escape is longer than what it stands for.
        let length = range.count - 2
        if length < name.count { return false }
        let start = range.lowerBound + 1
        if length == name.count {
            for offset in 0..<length where scanner.bytes[start + offset] != names[name.lowerBound + offset] { return false }
            return true
        }
        guard scanner.bytes[start..<(start + length)].contains(UInt8(ascii: "\\")) else { return false }
        return scanner.name(range).utf8.elementsEqual(names[name])
    }
}

internal import PipelineJSON

/// The JSON value of an XML element, written while its parts are reported.
///
/// Children are written as they come. Those of one name that follow one another are a run; where a name comes back after another, what was
/// written is put in order once the element ends, so that all runs of a name become its list. Besides the value itself, only the element that
/// is read and those around it take memory.
struct XMLWriter {
    typealias Problem = AnswerFormat.Problem

    /// An element that has begun and not ended.
    private struct Element {
        /// Where its own text begins.
        let text: Int
        /// Where the names of its children begin, and their runs.
        let names: Int
        let runs: Int
        /// Indicates whether it has attributes or children.
        var isObject = false
        /// Indicates whether its text is more than white space.
        var hasText = false
    }

    /// A name of children of an element.
    private struct ChildName {
        let number: Int32
        /// The place of the same name in an element around this one, or ``none``.
        let outer: Int32

        static let none = Int32(-1)
    }

    /// Children of one name that follow one another. Its bytes begin with what divides it from what is before it in its place, and end before
    /// the bracket that closes the list.
    private struct Run {
        /// The place of its name.
        let name: Int32
        let start: Int32
    }

    /// Offsets in more bytes, with those that will not stay, have no place in a run.
    private static let mostBytes = 1 << 30

    private var output: BoundedJSON
    private var table = NameTable(ending: "\":[")
    private var elements: [Element] = []
    /// The text of the elements, each after that of the one around it.
    private var text: [UInt8] = []
    private var names: [ChildName] = []
    private var runs: [Run] = []
    /// The innermost place of each name of the table among the names of children, or ``ChildName/none``.
    private var places: [Int32] = []

    /// - Parameter size: the number of bytes of the text.
    init(limit: Int, size: Int) { output = BoundedJSON(limit: min(limit, Self.mostBytes), size: size) }

    /// The value, once the root element has ended.
    var json: [UInt8] { output.bytes }

    mutating func begin(_ name: UnsafeBufferPointer<UInt8>) throws(Problem) {
        if !elements.isEmpty { try beginChild(name) }
        elements.append(Element(text: text.count, names: names.count, runs: runs.count))
    }

    /// Adds an attribute to the element that has just begun.
    mutating func add(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) throws(Problem) {
        _ = try table.number(of: name)
        try output.add(beginsObject() ? "{\"@" : ",\"@")
        try output.add(name)
        try output.add("\":\"")
        try output.addEscaped(value)
        try output.add(sign: "\"")
    }

    mutating func add(_ piece: UnsafeRawBufferPointer) {
        guard !elements.isEmpty else { return }
        text.append(contentsOf: piece)
        if !elements[elements.count - 1].hasText, !piece.allSatisfy(Self.isSpace) { elements[elements.count - 1].hasText = true }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0A ~= byte || byte == 0x0D }

    mutating func end() throws(Problem) {
        guard let element = elements.popLast() else { return }
        if !element.isObject {
            try addText(of: element)
        } else {
            let hasChildren = runs.count > element.runs
            if hasChildren { try endChildren(of: element) }
            if element.hasText || !hasChildren && text.count > element.text {
                try output.add(",\"#text\":")
                try addText(of: element)
            }
            try output.add(sign: "}")
        }
        text.removeLast(text.count - element.text)
    }

    private mutating func addText(of element: Element) throws(Problem) {
        try output.add(sign: "\"")
        try output.addEscaped(text, from: element.text)
        try output.add(sign: "\"")
    }

    /// Notes that the innermost element has attributes or children; true the first time.
    private mutating func beginsObject() throws(Problem) -> Bool {
        if elements[elements.count - 1].isObject { return false }
        elements[elements.count - 1].isObject = true
        // Each element is an object in a list, but the root.
        if 2 * elements.count > JSONScanner.maximumDepth { throw Problem("elements nested deeper than \(JSONScanner.maximumDepth / 2)") }
        return true
    }
}

extension XMLWriter {
    private mutating func beginChild(_ name: UnsafeBufferPointer<UInt8>) throws(Problem) {
        let isFirst = try beginsObject()
        if isFirst { try output.add(sign: "{") }
        let element = elements[elements.count - 1]
        if runs.count > element.runs {
            let last = names[Int(runs[runs.count - 1].name)].number
            if table.isName(Int(last), name) { return try output.add(sign: ",") }
            try endRun(of: element)
        }
        let number = try table.number(of: name)
        while places.count <= number { places.append(ChildName.none) }
        let start = Int32(output.bytes.count)
        if places[number] >= element.names {
            runs.append(Run(name: places[number], start: start))
            // Its bracket goes when the runs of its name become one.
            output.surplus += 1
            return try output.add(sign: ",")
        }
        runs.append(Run(name: Int32(names.count), start: start))
        names.append(ChildName(number: Int32(number), outer: places[number]))
        places[number] = Int32(names.count - 1)
        try output.add(table.label(number).dropFirst(isFirst ? 1 : 0))
    }

    /// Ends the last run, and gathers the runs where so many have come that they take as much memory as what is written.
    private mutating func endRun(of element: Element) throws(Problem) {
        try output.add(sign: "]")
        let size = output.bytes.count - Int(runs[element.runs].start)
        if runs.count - element.runs > max(4_096, 2 * (names.count - element.names), size / 8) { gatherRuns(of: element) }
    }

    private mutating func endChildren(of element: Element) throws(Problem) {
        try output.add(sign: "]")
        if runs.count - element.runs > names.count - element.names { gatherRuns(of: element) }
        for name in names[element.names...] { places[Int(name.number)] = name.outer }
        names.removeLast(names.count - element.names)
        runs.removeLast(runs.count - element.runs)
    }

    /// Puts the runs of each name behind one another, as one run, in the order in which the names came.
    private mutating func gatherRuns(of element: Element) {
        let own = element.runs..<runs.count
        let start = Int(runs[own.lowerBound].start)
        // First the size of each name's run, with its bracket, then where it begins.
        var ends = [Int](repeating: 1, count: names.count - element.names)
        for index in own { ends[Int(runs[index].name) - element.names] += range(ofRun: index).count }
        var size = 0
        for name in ends.indices { (ends[name], size) = (size, size + ends[name]) }
        let gathered = ends.indices.map { Run(name: Int32(element.names + $0), start: Int32(start + ends[$0])) }
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { result, count in
            for index in own { result.append(output.bytes, range(ofRun: index), at: &ends[Int(runs[index].name) - element.names]) }
            for end in ends { result[end] = UInt8(ascii: "]") }
            count = size
        }
        output.replace(from: start, with: bytes)
        output.surplus -= own.count - gathered.count
        runs.replaceSubrange(own, with: gathered)
    }

    /// The bytes of a run of the innermost element, all of which have ended.
    private func range(ofRun index: Int) -> Range<Int> {
        let next = index + 1 < runs.count ? Int(runs[index + 1].start) : output.bytes.count
        return Int(runs[index].start)..<(next - 1)
    }
}

internal import Pipeline
internal import PipelineJSON

/// The words of a page about the walk, read as it came.
struct PageWords {
    /// The cursor of the next page.
    struct Cursor {
        let text: String
        /// The cursor in a JSON body.
        let json: [UInt8]
        let isNumber: Bool

        init(_ text: String) { (self.text, json, isNumber) = (text, Array(JSONText.string(text).text.utf8), false) }

        init(_ text: String, json: [UInt8]) {
            (self.text, self.json) = (text, json)
            isNumber = json.first != UInt8(ascii: "\"")
        }
    }

    private let answer: Answer
    private let rules: PageRules
    private let cursor: Range<Int>?
    private let count: Range<Int>?
    let isLast: Bool
    let isExpired: Bool

    /// Throws where a name on the way to a place occurs twice.
    init(_ answer: Answer, _ rules: PageRules) throws(SourceError) {
        (self.answer, self.rules) = (answer, rules)
        let (ends, expired) = (rules.ends?.pointers ?? [], rules.expired?.pointers ?? [])
        var paths = (ends + expired).map { JSONPath($0) }
        let total = rules.total.map { JSONPath($0) }
        switch rules.next {
        case .place(let pointer): paths.append(JSONPath(pointer))
        case .last(let pointer): paths.append(JSONPath(lastOf: rules.lists[0].at, pointer))
        case .link, .header, .offset, .page: break
        }
        let hasCursor = paths.count > ends.count + expired.count
        if let total { paths.append(total) }
        let places = try answer.places(of: paths)
        isLast = rules.ends?.fits(answer, places.prefix(ends.count)) ?? false
        isExpired = rules.expired?.fits(answer, places.dropFirst(ends.count).prefix(expired.count)) ?? false
        count = total == nil ? nil : places.last ?? nil
        cursor = hasCursor ? places[ends.count + expired.count] : nil
    }

    /// The number of elements that must come out; nil where the page does not say it.
    func total() throws(SourceError) -> Int? {
        guard let count, let pointer = rules.total, answer.body[count].first != UInt8(ascii: "n") else { return nil }
        guard let number = JSONScalar.reference(answer.body, at: count).flatMap({ JSONNumber($0) })?.integer, number >= 0 else {
            throw .unusable("what stands at `\(pointer.description.shortened)` is no number of elements")
        }
        return Int(number)
    }

    /// The cursor of the next page; nil where there is none: absent, `null`, `false`, or an empty text.
    func next() throws(SourceError) -> Cursor? {
        let text: String?
        switch rules.next {
        case .place(let pointer): return try next(at: pointer.description)
        case .last(let pointer): return try next(at: "\(pointer)")
        case .link: text = LinkHeader.target(of: "next", in: answer.headers["Link"])
        case .header(let name): text = answer.headers.first(name)
        case .offset, .page: return nil
        }
        guard let text, !text.isEmpty else { return nil }
        return try checked(Cursor(text))
    }

    private func next(at pointer: String) throws(SourceError) -> Cursor? {
        guard let cursor, let byte = answer.body[cursor].first, byte != UInt8(ascii: "n"), byte != UInt8(ascii: "f") else { return nil }
        guard let text = JSONScalar.reference(answer.body, at: cursor) else {
            let kind = byte == UInt8(ascii: "\"") ? "half a surrogate pair" : JSONScalar.kind(ofValueBeginningWith: byte)
            throw .unusable("what stands at `\(pointer.shortened)` is \(kind), and no cursor")
        }
        return text.isEmpty ? nil : try checked(Cursor(text, json: Array(answer.body[cursor])))
    }

    private func checked(_ cursor: Cursor) throws(SourceError) -> Cursor {
        let size = cursor.text.utf8.count
        if size > PageRules.mostBytes {
            throw .unusable("the cursor of the next page has \(size) bytes, and no more than \(PageRules.mostBytes) are allowed")
        }
        return cursor
    }
}

public import PipelineJSON

/// What a source gives for several keys at once.
public struct BatchAnswer: Sendable {
    /// What an id means that a list has no element of.
    public enum Missing: String, Sendable, CaseIterable {
        /// There is no such value.
        case notFound = "not_found"
        /// The source could not say: an error.
        case unknown
    }

    /// For each key, in the order of the keys, what ``Source/read(_:_:)`` would return or throw for it.
    public let results: [Result<Entry?, any Error>]
    /// How many values came that were not asked for. They are shown in traces.
    public let ignored: Int

    /// One result for each key, in the order of the keys.
    public init(_ results: [Result<Entry?, any Error>], ignored: Int = 0) {
        self.results = results
        self.ignored = ignored
    }

    /// The elements of a list, each for the key whose id it has, wherever it stands in the list.
    ///
    /// An id is a string, or a number as it is written: `42` and `"42"` are one id, `42.0` is another. An element without an id, or with one
    /// that was not asked for, is ignored. An id that stands twice is an error of its key alone.
    ///
    /// Throws when there is no list, and when there are elements and none of them was asked for: that is the answer to something else.
    ///
    /// - Parameters:
    ///   - payload: JSON.
    ///   - items: where the list stands.
    ///   - id: where an element has its id.
    ///   - parameter: the parameter of the keys whose values are the ids.
    ///   - template: what is known of all of them; each gets its payload, which is nil for what is missing.
    public init(
        _ payload: [UInt8], items: JSONPointer = .whole, id: JSONPointer, of parameter: String, for keys: [Key],
        missing: Missing = .notFound, as template: Entry
    ) throws(SourceError) {
        let elements = try Self.elements(of: payload, at: items)
        var wanted: [ExactName: Int] = [:]
        for (index, key) in keys.enumerated() { wanted[ExactName(key[parameter] ?? "")] = index }
        var found: [Range<Int>?] = Array(repeating: nil, count: keys.count)
        var twice: Set<Int> = []
        var ignored = 0
        for element in elements {
            let text = try Self.text(of: id, in: payload, at: element)
            guard let text, let index = wanted[ExactName(text)] else {
                ignored += 1
                continue
            }
            if found[index] == nil { found[index] = element } else { twice.insert(index) }
        }
        if !elements.isEmpty, ignored == elements.count {
            throw SourceError(
                invalid: "the batch has \(elements.count) element\(elements.count == 1 ? "" : "s"), and none with an id that was asked for")
        }
        self.ignored = ignored
        results = keys.indices.map { index in
            if twice.contains(index) { return .failure(SourceError(invalid: "the batch has the id twice")) }
            var entry = template
            if let range = found[index] {
                entry.payload = Array(payload[range])
            } else {
                if missing == .unknown { return .failure(SourceError("the batch does not have the id")) }
                entry.payload = nil
            }
            return .success(entry)
        }
    }

    private static func elements(of payload: [UInt8], at items: JSONPointer) throws(SourceError) -> [Range<Int>] {
        do {
            if let problem = JSONScanner.problem(of: payload) { throw problem }
            guard let list = try JSONScanner.place(of: items, in: payload),
                let parts = JSONScanner.parts(of: payload, at: list.range), !parts.isObject
            else { throw SourceError(invalid: "the batch has no list at `\(items.description.shortened)`") }
            return parts.parts.map(\.value)
        } catch let problem as JSONScanner.Problem {
            throw SourceError(invalid: "the batch is not as expected: \(problem)")
        } catch let error as SourceError {
            throw error
        } catch {
            throw SourceError(invalid: "the batch is not as expected", cause: error)
        }
    }

    /// The id as the text of a key; nil where there is none.
    private static func text(of id: JSONPointer, in payload: [UInt8], at element: Range<Int>) throws(SourceError) -> String? {
        do {
            return try JSONScanner.place(of: id, in: payload, at: element).flatMap { JSONScalar.reference(payload, at: $0.range) }
        } catch {
            throw SourceError(invalid: "the batch is not as expected: \(error)")
        }
    }
}

public import PipelineJSON

/// The way in which a source reads several keys with one call: ``Source/batching``.
///
/// ```swift
/// var batching: Batching? {
///     Batching(of: "id", most: 50) { keys, context in
///         let list = try await self.users(keys.map { $0["id"] ?? "" })
///         return try BatchAnswer(list, id: JSONPointer(parsing: "/id"), of: "id", for: keys, as: Entry([], created: self.clock.now))
///     }
/// }
/// ```
///
/// A fetch of several keys (``DataPipeline/fetch(many:policy:priority:timeout:)``) then makes few calls: values that a cache has, or that are
/// loaded already, are not requested again. `retry` and `circuit_breaker` of the tier see one call. A key alone is read by ``Source/read(_:_:)``.
public struct Batching: Sendable {
    /// The parameter whose values are the ids. Keys share a call only where they are of one pipeline and all other parameters are equal. Nil where
    /// any keys of a pipeline can share one, as in a cache.
    public let parameter: String?
    /// The most keys of one call, at least 2: one is never more than a read.
    public let most: Int
    /// The time that a key waits for others that are asked for independently; zero for only those that are asked for together.
    public let window: Duration
    /// Reads them.
    package let read: @Sendable (_ keys: [Key], _ context: ReadContext) async throws -> BatchAnswer

    /// Keys that differ in `parameter` are read by one call of `read`.
    ///
    /// - Parameters:
    ///   - parameter: the parameter whose values are the ids. Keys share a call only where they are of one pipeline and all other parameters are
    ///     equal. Nil where any keys of a pipeline can share one, as in a cache.
    ///   - most: the most keys of one call, at least 2.
    ///   - window: how long a key waits for others that are asked for independently; zero for only those that are asked for together.
    ///   - read: reads the values of several keys, at least two, each once. What it throws fails all of them. The task is cancelled when none of
    ///     them is needed any more; throw `CancellationError` then.
    public init(
        of parameter: String?, most: Int, window: Duration = .zero,
        read: @escaping @Sendable (_ keys: [Key], _ context: ReadContext) async throws -> BatchAnswer
    ) {
        self.parameter = parameter
        self.most = max(2, most)
        self.window = max(.zero, window)
        self.read = read
    }
}

/// The answer of a source for several keys at once.
public struct BatchAnswer: Sendable {
    /// The meaning of an id that a list has no element of.
    ///
    /// Closed: an id without an element has no value, or the source cannot tell.
    public enum Missing: String, Sendable, CaseIterable {
        /// There is no such value.
        case notFound = "not_found"
        /// The source could not say: an error.
        case unknown
    }

    /// For each key, in the order of the keys, what ``Source/read(_:_:)`` would return or throw for it.
    public let results: [Result<Entry?, any Error>]
    /// The number of values that came and were not asked for. They are shown in traces.
    public let ignored: Int

    /// One result for each key, in the order of the keys.
    public init(_ results: [Result<Entry?, any Error>], ignored: Int = 0) {
        self.results = results
        self.ignored = ignored
    }

    /// The elements of a list, each for the key whose id it has, wherever it stands in the list.
    ///
    /// An id is a string, or a number as it is written: `42` and `"42"` are one id, `42.0` is another. An element without an id, or with one
    /// that was not asked for, is ignored. An id that stands twice is an error of its key alone. So is one that an element has in another
    /// spelling (`BO` for `bo`): the source takes both for one, and there may be a value.
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
        let (elements, ids): (JSONPlaces, JSONPlaces)
        do {
            (elements, ids) = try Self.elements(of: payload, at: items, withIDsAt: id)
        } catch {
            var error = error
            error.detail = SourceError.detail(of: payload)
            throw error
        }
        var wanted: [ExactName: Int] = [:]
        for (index, key) in keys.enumerated() { wanted[ExactName(key[parameter] ?? "")] = index }
        var found: [Range<Int>?] = Array(repeating: nil, count: keys.count)
        var twice: Set<Int> = []
        var ignored = 0
        var next = ids.startIndex
        for element in elements {
            var index: Int?
            if next < ids.endIndex, ids[next].range.lowerBound < element.range.upperBound {
                index = JSONScalar.reference(payload, at: ids[next].range).flatMap { wanted[ExactName($0)] }
                next += 1
            }
            guard let index else {
                ignored += 1
                continue
            }
            if found[index] == nil { found[index] = element.range } else { twice.insert(index) }
        }
        if !elements.isEmpty, ignored == elements.count {
            throw SourceError(
                "the batch has \(elements.count) element\(elements.count == 1 ? "" : "s"), and none with an id that was asked for",
                kind: .invalid)
        }
        self.ignored = ignored
        let lacking = keys.indices.filter { found[$0] == nil }.map { ($0, keys[$0][parameter] ?? "") }
        let spellings = Self.spellings(of: lacking, among: ids.lazy.compactMap { JSONScalar.reference(payload, at: $0.range) })
        results = keys.indices.map { index in
            if twice.contains(index) { return .failure(SourceError("the batch has the id twice", kind: .invalid)) }
            var entry = template
            if let range = found[index] {
                entry.payload = Array(payload[range])
            } else {
                if let other = spellings[index] {
                    return .failure(
                        SourceError(
                            "the batch does not have the id, but `\(other.shortened)`", help: "ask for the id as the source writes it"))
                }
                if missing == .unknown { return .failure(SourceError("the batch does not have the id")) }
                entry.payload = nil
            }
            return .success(entry)
        }
    }

    /// For each id that is `lacking` one of those that are there and differ from it only in their spelling.
    private static func spellings(of lacking: [(index: Int, id: String)], among ids: some Sequence<String>) -> [Int: String] {
        guard !lacking.isEmpty else { return [:] }
        let indices = Dictionary(grouping: lacking) { $0.id.normalSpelling }
        var spellings: [Int: String] = [:]
        for id in ids {
            for (index, _) in indices[id.normalSpelling] ?? [] { spellings[index] = id }
        }
        return spellings
    }

    /// The elements of the list, and those of their ids that are there.
    private static func elements(
        of payload: [UInt8], at items: JSONPointer, withIDsAt id: JSONPointer
    ) throws(SourceError) -> (elements: JSONPlaces, ids: JSONPlaces) {
        let places: [JSONPlaces]
        if payload.isEmpty { throw SourceError("the response to the batch is empty: expected JSON", kind: .invalid) }
        do {
            if let problem = JSONScanner.problem(of: payload) { throw problem }
            places = try JSONScanner.places(of: [JSONPath(items), JSONPath(eachOf: items), JSONPath(eachOf: items, id)], in: payload)
        } catch {
            throw SourceError("the batch is not as expected: \(error)", kind: .invalid)
        }
        let kind = places[0].first.map { JSONScalar.kind(ofValueBeginningWith: payload[$0.range.lowerBound]) } ?? "nothing"
        guard kind == "a list" else {
            throw SourceError(
                items.tokens.isEmpty
                    ? "the response is \(kind); `items` says where the list is, as `/data`"
                    : "the response has \(kind) at `\(items.description.shortened)`, where `items` says that the list is", kind: .invalid)
        }
        let (elements, ids) = (places[1], places[2])
        guard elements.isEmpty || !ids.isEmpty else {
            let place = "nothing at `\(id.description.shortened)` in"
            throw SourceError(
                elements.count == 1 ? "\(place) the only element" : "\(place) any of \(elements.count) elements", kind: .invalid)
        }
        return (elements, ids)
    }
}

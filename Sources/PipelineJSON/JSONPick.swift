/// The members that are kept of an object, or of each element of a list, and the places of their values.
package struct JSONPick: Sendable {
    /// An object or a list of objects of what was picked.
    package struct Picked: Sendable {
        package let value: JSONFragment
        /// Indicates whether there was something to pick from, and none of the places was in any of it.
        package let isBare: Bool
    }

    /// The reason why nothing is picked.
    package enum Failure: Error {
        /// The value is no object, or a list with something else, or with too much.
        case refusal(JSONRefusal)
        /// A name on the way occurs twice, or the result is too large.
        case problem(JSONScanner.Problem)
    }

    private let labels: [[UInt8]]
    private let paths: [JSONPath]

    /// - Parameter members: the names that the members get, and the place of each in the object.
    package init(_ members: [(name: String, at: JSONPointer)]) {
        labels = members.map { JSONSplice.label($0.name) }
        paths = members.map { JSONPath($0.at) }
    }

    /// Picks from an object, or from each element of a list: every byte of a value is copied as it is. A member whose place is missing is left
    /// out.
    ///
    /// Throws a refusal where there is no object, and a problem where a name on the way occurs twice, or more than `limit` bytes come out.
    ///
    /// - Parameter isChecked: whether the text of the value was found to be JSON before.
    package func picked(from whole: JSONFragment, limit: Int, isChecked: Bool = false) throws(Failure) -> Picked {
        var (isEmpty, finds) = (true, false)
        func object(at range: Range<Int>) throws(Failure) -> JSONFragment {
            guard whole.bytes[range].first == UInt8(ascii: "{") else { throw .refusal(JSONRefusal("`pick` wants objects")) }
            return try Self.expect { () throws(JSONScanner.Problem) in
                let places = try JSONScanner.places(of: paths, in: whole.bytes, at: range, isChecked: isChecked)
                isEmpty = false
                finds = finds || places.contains { !$0.isEmpty }
                let members = zip(labels, places).map { label, places in
                    JSONFragment.Member(label, places.first.map { JSONFragment(whole.bytes, at: $0.range) })
                }
                return try JSONFragment.object(members, limit: limit)
            }
        }
        guard whole.isArray else { return Picked(value: try object(at: whole.range), isBare: !finds) }
        var list = JSONListWriter()
        try whole.forEachElement(orThrow: Failure.refusal) { _, range throws(Failure) in
            let object = try object(at: range)
            try Self.expect { () throws(JSONScanner.Problem) in try list.begin(size: object.range.count, limit: limit) }
            list.add(object.bytes, object.range)
        }
        do throws(JSONScanner.Problem) {
            return Picked(value: try list.list(limit: limit), isBare: !isEmpty && !finds)
        } catch {
            throw .problem(error)
        }
    }

    private static func expect<Value>(_ body: () throws(JSONScanner.Problem) -> Value) throws(Failure) -> Value {
        do throws(JSONScanner.Problem) { return try body() } catch { throw .problem(error) }
    }
}

/// The reason why a value that is JSON is not taken apart.
package struct JSONRefusal: Error {
    /// A sentence part.
    package let reason: String

    package init(_ reason: String) { self.reason = reason }

    /// The refusal of so many elements.
    package static func tooMany(_ count: Int) -> JSONRefusal {
        JSONRefusal("\(count) elements, and no more than \(JSONPlaces.most) are taken apart")
    }
}

extension JSONFragment {
    /// Calls `body` with the number and the place of each element of a list, and keeps none of them. Another value has no elements.
    ///
    /// - Parameter error: the error for a list with too many.
    package func forEachElement<Failure: Error>(
        orThrow error: (JSONRefusal) -> Failure, _ body: (Int, Range<Int>) throws(Failure) -> Void
    ) throws(Failure) {
        guard isArray else { return }
        var (count, failure): (Int, Failure?) = (0, nil)
        _ = JSONScanner.forEachPart(of: bytes, at: range) { part in
            defer { count += 1 }
            guard failure == nil, count < JSONPlaces.most else { return }
            do throws(Failure) { try body(count, part.value) } catch { failure = error }
        }
        if let failure { throw failure }
        if count > JSONPlaces.most { throw error(.tooMany(count)) }
    }
}

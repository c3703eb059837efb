package import Pipeline
package import PipelineJSON

/// A condition over status, fields and body of an answer, of which all members hold where it fits: what `when`, `ends` and `expired` say.
///
/// A place that is not there fits nothing, and a body that is not JSON fits none of the members that name a place, also not `lacks`.
package struct AnswerCondition: Sendable {
    /// The statuses of which the answer has one; nil for any.
    package var statuses: [Int]?
    /// The places that are there, also with null.
    package var has: [JSONPointer]
    /// The places that are not there.
    package var lacks: [JSONPointer]
    /// The fields of which one has one of these texts, or any text where `texts` is nil.
    package var headers: [(name: String, texts: [String]?)]
    /// The places with one of these values: strings by their bytes, numbers by their exact value.
    package var values: [(at: JSONPointer, oneOf: [JSONScalar])]

    package init(
        statuses: [Int]? = nil, has: [JSONPointer] = [], lacks: [JSONPointer] = [], headers: [(name: String, texts: [String]?)] = [],
        values: [(at: JSONPointer, oneOf: [JSONScalar])] = []
    ) {
        (self.statuses, self.has, self.lacks, self.headers, self.values) = (statuses, has, lacks, headers, values)
    }

    /// The places that it names, in the order in which ``fits(_:_:)`` wants them.
    var pointers: [JSONPointer] { has + lacks + values.map(\.at) }

    /// Indicates whether the answer fits. Throws where a name on the way to a place occurs twice.
    package func fits(_ answer: Answer) throws(SourceError) -> Bool { fits(answer, try answer.places(of: pointers)[...]) }

    /// Indicates whether the answer fits, in which `places` are those of ``pointers``.
    func fits(_ answer: Answer, _ places: ArraySlice<Range<Int>?>) -> Bool {
        if let statuses, !statuses.contains(answer.status) { return false }
        let hasHeaders = headers.allSatisfy { name, texts in
            answer.headers[name].contains { value in texts?.contains { $0.hasSameBytes(as: value) } ?? true }
        }
        guard hasHeaders else { return false }
        if places.isEmpty { return true }
        let (ofHas, rest) = (places.prefix(has.count), places.dropFirst(has.count))
        return answer.problem == nil && ofHas.allSatisfy { $0 != nil } && rest.prefix(lacks.count).allSatisfy { $0 == nil }
            && zip(values, rest.dropFirst(lacks.count)).allSatisfy { value, place in
                guard let scalar = place.flatMap({ JSONScalar(answer.body, at: $0) }) else { return false }
                return value.oneOf.contains { $0.isSame(as: scalar) }
            }
    }
}

extension JSONScalar {
    fileprivate func isSame(as other: JSONScalar) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.bool(let one), .bool(let other)): one == other
        case (.number(let one), .number(let other)): one == other
        case (.string(let one), .string(let other)): one.hasSameBytes(as: other)
        default: false
        }
    }
}

internal import PipelineJSON

/// A comparison of two payloads as JSON: numbers by their exact value, members in any order.
enum JSONEquality {
    /// Indicates whether both are the same JSON; false if one of them is not JSON.
    static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        if left == right { return true }
        guard JSONScanner.problem(of: left) == nil, JSONScanner.problem(of: right) == nil else { return false }
        return areEqual(left, range(of: left), right, range(of: right))
    }

    private static func range(of payload: [UInt8]) -> Range<Int> {
        JSONScanner.range(of: .whole, in: payload) ?? 0..<payload.count
    }

    private static func areEqual(_ left: [UInt8], _ leftRange: Range<Int>, _ right: [UInt8], _ rightRange: Range<Int>) -> Bool {
        let (one, other) = (JSONScanner.parts(of: left, at: leftRange), JSONScanner.parts(of: right, at: rightRange))
        guard let one, let other else {
            guard one == nil, other == nil else { return false }
            return areSame(JSONScalar(left, at: leftRange), JSONScalar(right, at: rightRange))
        }
        guard one.isObject == other.isObject, one.parts.count == other.parts.count else { return false }
        guard one.isObject else {
            return zip(one.parts, other.parts).allSatisfy { areEqual(left, $0.value, right, $1.value) }
        }
        let (members, others) = (values(of: one, in: left), values(of: other, in: right))
        return members.count == others.count
            && members.allSatisfy { name, range in others[name].map { areEqual(left, range, right, $0) } ?? false }
    }

    /// The values of an object by their names; of a name that stands twice the last one.
    private static func values(of object: JSONParts, in payload: [UInt8]) -> [[UInt8]: Range<Int>] {
        var values: [[UInt8]: Range<Int>] = [:]
        for part in object.parts {
            values[part.name.map { Array(JSONScalar.string(payload, at: $0).utf8) } ?? []] = part.value
        }
        return values
    }

    private static func areSame(_ left: JSONScalar?, _ right: JSONScalar?) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        default: false
        }
    }
}

extension JSONSplice {
    /// `payload` with `value` at the place of `pointer`: in place of what is there, or else as a new last member of the innermost object on the
    /// way, within further objects where these are missing, too. A null on the way counts as missing.
    ///
    /// Throws where the way ends in a list or in another value, and where a name on it occurs twice.
    ///
    /// - Parameters:
    ///   - value: JSON, without white space around it.
    ///   - payload: JSON.
    package static func setting(
        _ value: [UInt8], at pointer: JSONPointer, in payload: [UInt8]
    ) throws(JSONScanner.Problem) -> [UInt8] {
        let ways = (0...pointer.tokens.count).map { JSONPath(JSONPointer(tokens: Array(pointer.tokens.prefix($0)))) }
        let places = try JSONScanner.places(of: ways, in: payload).map(\.first)
        // Nothing is behind a place that is not there.
        let length = places.lastIndex { $0 != nil } ?? 0
        guard let place = places[length] else { throw JSONScanner.Problem(message: "expected a value", offset: 0) }
        let missing = pointer.tokens.dropFirst(length)
        guard let name = missing.first else { return payload.replacing(place.range, with: value) }
        let rest = missing.dropFirst().reversed().reduce(value) { [UInt8(ascii: "{")] + label($1) + $0 + [UInt8(ascii: "}")] }
        if payload[place.range].first == UInt8(ascii: "n") {
            return payload.replacing(place.range, with: [UInt8(ascii: "{")] + label(name) + rest + [UInt8(ascii: "}")])
        }
        var isEmpty = true
        guard let object = JSONScanner.forEachPart(of: payload, at: place.range, { _ in isEmpty = false }), object.isObject else {
            let at = JSONPointer(tokens: Array(pointer.tokens.prefix(length)))
            let words = length == 0 ? "the text is no object that could take" : "there is no object at `\(at)` to take"
            throw JSONScanner.Problem(message: "\(words) `\(name.shortened)`", offset: place.range.lowerBound)
        }
        let end = object.tail.lowerBound
        return payload.replacing(end..<end, with: (isEmpty ? [] : [UInt8(ascii: ",")]) + label(name) + rest)
    }
}

extension [UInt8] {
    fileprivate func replacing(_ range: Range<Int>, with bytes: [UInt8]) -> [UInt8] {
        self[..<range.lowerBound] + bytes + self[range.upperBound...]
    }
}

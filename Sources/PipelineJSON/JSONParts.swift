/// An array or object cut into its parts, as ranges of the bytes of a text: everything between the brackets belongs to a part or to the tail.
package struct JSONParts: Sendable {
    /// An element or a member.
    package struct Part: Sendable {
        /// The text before the value: white space, the comma that divides it from the one before, a member's name and colon.
        package let lead: Range<Int>
        /// The name of a member, quotes included; nil for an element.
        package let name: Range<Int>?
        /// The value, without white space around it.
        package let value: Range<Int>
    }

    /// Indicates whether it is an object.
    package let isObject: Bool
    /// The parts in the order of the text. A name can occur twice.
    package let parts: [Part]
    /// The white space before the closing bracket.
    package let tail: Range<Int>

    /// Appends what divides a value from the one before, where elements were removed or added: the first has no comma, and each other has one.
    package static func append(lead: ArraySlice<UInt8>, isFirst: Bool, to text: inout [UInt8]) {
        let comma = comma(in: lead)
        if isFirst, let comma {
            text += lead[(comma + 1)...]
        } else {
            if !isFirst, comma == nil { text.append(UInt8(ascii: ",")) }
            text += lead
        }
    }

    /// The place of the comma that a lead begins with, after white space; nil for the lead of a first part.
    package static func comma(in lead: ArraySlice<UInt8>) -> Int? {
        lead.firstIndex { !JSONScanner.isSpace($0) }.flatMap { lead[$0] == UInt8(ascii: ",") ? $0 : nil }
    }
}

extension JSONScanner {
    /// The parts of the array or object at `range`; nil for any other value.
    package static func parts(of payload: [UInt8], at range: Range<Int>? = nil) -> JSONParts? {
        var parts: [JSONParts.Part] = []
        return forEachPart(of: payload, at: range) { parts.append($0) }.map {
            JSONParts(isObject: $0.isObject, parts: parts, tail: $0.tail)
        }
    }

    /// Calls `body` with each part of the array or object at `range`, in the order of the text, and keeps none of them.
    ///
    /// - Returns: whether it is an object, and the white space before its closing bracket; nil for any other value, and where the text is no JSON.
    package static func forEachPart(
        of payload: [UInt8], at range: Range<Int>? = nil, _ body: (JSONParts.Part) -> Void
    ) -> (isObject: Bool, tail: Range<Int>)? {
        payload.withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes, at: range)
            return try? scanner.readParts(body)
        }
    }

    private mutating func readParts(_ body: (JSONParts.Part) -> Void) throws(Problem) -> (isObject: Bool, tail: Range<Int>)? {
        skipSpace()
        let isObject = peek == UInt8(ascii: "{")
        guard isObject || peek == UInt8(ascii: "[") else { return nil }
        let closer = UInt8(ascii: isObject ? "}" : "]")
        index += 1
        var end = index
        skipSpace()
        if peek != closer {
            repeat {
                skipSpace()
                let name = isObject ? try readName() : nil
                let start = index
                try skipValue()
                body(JSONParts.Part(lead: end..<start, name: name, value: start..<index))
                end = index
                skipSpace()
            } while take(UInt8(ascii: ","))
        }
        guard peek == closer else { throw problem("expected `,` or `\(Character(Unicode.Scalar(closer)))`") }
        return (isObject, end..<index)
    }
}

import Pipeline
internal import PipelineJSON

/// The id of an item that its origin has not named yet: `~` and the id of the send that makes it.
///
/// It is replaced where it stands as a whole: as an argument, or as a string of a JSON payload.
struct TemporaryID: Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    /// The temporary ids in arguments and a payload.
    static func all(in arguments: [String: String], _ payload: [UInt8]) -> Set<String> {
        var found = Set(arguments.values.filter { $0.utf8.first == UInt8(ascii: "~") && $0.utf8.count > 1 })
        var place = 0
        while let start = nextString(in: payload, from: place) {
            let end = endOfString(in: payload, from: start)
            if isValue(payload, endingAt: end) {
                let text = JSONScalar.string(payload, at: start..<end)
                if text.utf8.count > 1 { found.insert(text) }
            }
            place = end
        }
        return found
    }

    /// The payload with the origin's id, a JSON text, in the place of this one.
    func replaced(in payload: [UInt8], by id: String) -> [UInt8] {
        var (result, copied, place) = ([UInt8](), 0, 0)
        while let start = Self.nextString(in: payload, from: place) {
            let end = Self.endOfString(in: payload, from: start)
            if Self.isValue(payload, endingAt: end), JSONScalar.string(payload, at: start..<end) == text {
                result += payload[copied..<start]
                result += Array(id.utf8)
                copied = end
            }
            place = end
        }
        return copied == 0 ? payload : result + payload[copied...]
    }

    /// The start of the next string that begins with `~`, its quote included; nil if there is none.
    private static func nextString(in payload: [UInt8], from start: Int) -> Int? {
        var (place, isInString) = (start, false)
        while place < payload.count {
            switch payload[place] {
            case UInt8(ascii: "\\") where isInString: place += 1
            case UInt8(ascii: "\""):
                if !isInString, place + 1 < payload.count, payload[place + 1] == UInt8(ascii: "~") { return place }
                isInString.toggle()
            default: break
            }
            place += 1
        }
        return nil
    }

    /// The end of the string that begins at `start`, behind its quote.
    private static func endOfString(in payload: [UInt8], from start: Int) -> Int {
        var place = start + 1
        while place < payload.count, payload[place] != UInt8(ascii: "\"") {
            place += payload[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(place + 1, payload.count)
    }

    /// Whether the string that ends there is a value, and not the name of a member.
    private static func isValue(_ payload: [UInt8], endingAt end: Int) -> Bool {
        let spaces: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
        return payload[end...].first { !spaces.contains($0) } != UInt8(ascii: ":")
    }
}

extension SendRow {
    /// Puts the origin's id, a JSON text, in the place of a temporary one.
    ///
    /// - Parameter format: the format of the payload; one of another than JSON stays as it is.
    mutating func replace(_ temporary: String, by id: String, in format: PayloadFormat) {
        let text = JSONScalar(Array(id.utf8), at: 0..<id.utf8.count)?.text ?? id
        arguments = arguments.mapValues { $0 == temporary ? text : $0 }
        if format == .json { payload = TemporaryID(temporary).replaced(in: payload, by: id) }
    }
}

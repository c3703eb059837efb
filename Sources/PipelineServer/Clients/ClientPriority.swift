internal import NIOHTTP1
internal import Pipeline

/// The priority that a client gives its request (RFC 9218).
enum ClientPriority {
    /// The priority that the member `u` of the field `Priority` names: 0 to 2 is high, 3 normal, 4 and 5 low, 6 and 7 background. Nil if it
    /// says nothing of that, or cannot be read: all of such a field is ignored (RFC 9651, section 4.2).
    static func of(_ headers: HTTPHeaders) -> Priority? {
        let field = headers["priority"].joined(separator: ",")
        var urgency: Int?
        for member in field.split(separator: ",", omittingEmptySubsequences: false) {
            guard let (name, value) = parsed(member) else { return nil }
            // The last one of a name counts.
            if name == "u" { urgency = value }
        }
        return urgency.flatMap(priority(ofUrgency:))
    }

    /// A member of the dictionary; its value if that is an integer. Nil if it is none, parameters of the value left aside.
    private static func parsed(_ member: Substring) -> (name: Substring, value: Int?)? {
        let item = member.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false)[0].trimmed
        let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first, let start = name.utf8.first, start == UInt8(ascii: "*") || isLower(start),
            name.utf8.allSatisfy({ isLower($0) || isDigit($0) || "_-.*".utf8.contains($0) })
        else { return nil }
        guard parts.count == 2 else { return (name, nil) }
        return parts[1].isEmpty ? nil : (name, Int(parts[1]))
    }

    private static func priority(ofUrgency urgency: Int) -> Priority? {
        switch urgency {
        case 0...2: .high
        case 3: .normal
        case 4...5: .low
        case 6...7: .background
        default: nil
        }
    }

    private static func isLower(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

extension Substring {
    fileprivate var trimmed: Substring {
        var text = drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}

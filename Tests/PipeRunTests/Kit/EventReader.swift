/// Reads an event stream as WHATWG HTML tells it ("Interpreting an event stream").
struct EventReader {
    struct Event: Equatable {
        var name: String
        var data: String
        /// The id that the reader is at with it.
        var id: String
    }

    private(set) var events: [Event] = []
    private(set) var comments = 0
    private var line: [UInt8] = []
    private var isAfterReturn = false
    private var (name, data, id) = ("", [String](), "")

    mutating func read(_ bytes: [UInt8]) {
        for byte in bytes {
            defer { isAfterReturn = byte == UInt8(ascii: "\r") }
            switch byte {
            case UInt8(ascii: "\n") where isAfterReturn: break
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                take(String(decoding: line, as: UTF8.self))
                line = []
            default: line.append(byte)
            }
        }
    }

    private mutating func take(_ line: String) {
        if line.isEmpty {
            if !data.isEmpty { events.append(Event(name: name.isEmpty ? "message" : name, data: data.joined(separator: "\n"), id: id)) }
            (name, data) = ("", [])
            return
        }
        let sides = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let value = sides.count > 1 ? (sides[1].hasPrefix(" ") ? String(sides[1].dropFirst()) : sides[1]) : ""
        switch sides[0] {
        case "": comments += 1
        case "event": name = value
        case "data": data.append(value)
        case "id": id = value
        default: break
        }
    }
}

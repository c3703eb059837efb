import PipelineJSON

@testable import Pipeline

/// What is in a payload that a ``LiveServer`` made, and a pipeline changed.
struct LiveList: Equatable {
    /// The number of the list that it began as.
    let number: Int
    let elements: [Element]

    struct Element: Equatable {
        let id: Int
        let version: Int
        let bytes: [UInt8]
    }

    init?(_ entry: Entry?) {
        guard let payload = entry?.payload, let number = Self.integer(at: .number, in: payload),
            let range = JSONScanner.range(of: .items, in: payload), let list = JSONScanner.parts(of: payload, at: range)
        else { return nil }
        self.number = number
        elements = list.parts.map { part in
            let bytes = Array(payload[part.value])
            return Element(
                id: Self.integer(at: .id, in: bytes) ?? -1, version: Self.integer(at: .version, in: bytes) ?? -1, bytes: bytes)
        }
    }

    /// Whether these are its items, each once.
    func holds(_ items: [Int: Int]) -> Bool {
        elements.count == items.count && elements.allSatisfy { items[$0.id] == $0.version }
    }

    private static func integer(at pointer: JSONPointer, in payload: [UInt8]) -> Int? {
        JSONScanner.scalar(at: pointer, in: payload).flatMap { Int($0.text) }
    }
}

extension LiveList: CustomStringConvertible {
    var description: String { "\(number): " + elements.map { "\($0.id)v\($0.version)" }.joined(separator: " ") }
}

extension JSONPointer {
    static let items = made("/items")
    static let item = made("/item")
    static let id = made("/id")
    static let operation = made("/op")
    static let version = made("/v")
    static let sequence = made("/s")
    fileprivate static let number = made("/number")

    private static func made(_ text: String) -> JSONPointer { JSONPointer(text) ?? .whole }
}

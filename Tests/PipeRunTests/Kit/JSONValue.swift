import Foundation
import PipelineConfig

/// A JSON document as a value.
enum JSONValue: Sendable, Hashable, Decodable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(_ bytes: [UInt8]) throws {
        self = try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// The member `key` of an object.
    subscript(key: String) -> JSONValue? { if case .object(let members) = self { members[key] } else { nil } }

    /// The element at `index` of an array.
    subscript(index: Int) -> JSONValue? {
        if case .array(let elements) = self, elements.indices.contains(index) { elements[index] } else { nil }
    }

    var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
    var text: String? { if case .string(let text) = self { text } else { nil } }
    var number: Int? { if case .number(let number) = self { Int(number) } else { nil } }

    /// The same with what stands at `path` replaced, or removed for nil.
    func replacing(_ path: ArraySlice<String>, with value: JSONValue?) -> JSONValue {
        guard let first = path.first else { return value ?? .null }
        switch self {
        case .object(var members):
            members[first] = path.count == 1 ? value : members[first]?.replacing(path.dropFirst(), with: value)
            return .object(members)
        case .array(var elements):
            if let index = Int(first) { elements[index] = elements[index].replacing(path.dropFirst(), with: value) }
            return .array(elements)
        default: return self
        }
    }
}

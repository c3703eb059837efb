import Foundation
import PipelineConfig

/// A part of JSON Schema, enough to say what a document must look like: `type`, `const`, `enum`, `pattern`, `minimum`, `required`,
/// `properties`, `additionalProperties`, `items`, `minItems`, `uniqueItems`, `$ref` into `definitions`.
struct JSONShape {
    let schema: JSONValue

    /// What is wrong with `value`, each with its place.
    func problems(of value: JSONValue) -> [String] { problems(of: value, schema, at: "") }

    private func problems(of value: JSONValue, _ schema: JSONValue, at place: String) -> [String] {
        if let name = schema["$ref"]?.text {
            guard let target = self.schema["definitions"]?[String(name.dropFirst("#/definitions/".count))] else {
                return ["\(place): no definition \(name)"]
            }
            return problems(of: value, target, at: place)
        }
        var problems: [String] = []
        if let type = schema["type"]?.text, !Self.is(value, type) { return ["\(place): not of the type \(type)"] }
        if let constant = schema["const"], constant != value { problems.append("\(place): not \(constant)") }
        if let choices = schema["enum"]?.elements, !choices.contains(value) { problems.append("\(place): none of \(choices)") }
        if let pattern = schema["pattern"]?.text, let text = value.text, text.range(of: pattern, options: .regularExpression) == nil {
            problems.append("\(place): `\(text)` does not match \(pattern)")
        }
        if let least = schema["minimum"]?.number, let number = value.number, number < least {
            problems.append("\(place): \(number) is less than \(least)")
        }
        switch value {
        case .object(let members): problems += self.problems(of: members, schema, at: place)
        case .array(let elements): problems += self.problems(of: elements, schema, at: place)
        default: break
        }
        return problems
    }

    private func problems(of members: [String: JSONValue], _ schema: JSONValue, at place: String) -> [String] {
        let required = schema["required"]?.elements.compactMap(\.text) ?? []
        var problems = required.filter { members[$0] == nil }.map { "\(place): `\($0)` is missing" }
        for (key, value) in members.sorted(by: { $0.key < $1.key }) {
            if let property = schema["properties"]?[key] {
                problems += self.problems(of: value, property, at: "\(place)/\(key)")
            } else if schema["additionalProperties"] == .bool(false) {
                problems.append("\(place): `\(key)` is unknown")
            } else if let further = schema["additionalProperties"] {
                problems += self.problems(of: value, further, at: "\(place)/\(key)")
            }
        }
        return problems
    }

    private func problems(of elements: [JSONValue], _ schema: JSONValue, at place: String) -> [String] {
        var problems: [String] = []
        if let least = schema["minItems"]?.number, elements.count < least { problems.append("\(place): fewer than \(least)") }
        if schema["uniqueItems"] == .bool(true), Set(elements).count < elements.count { problems.append("\(place): one is there twice") }
        guard let item = schema["items"] else { return problems }
        return problems + elements.enumerated().flatMap { self.problems(of: $1, item, at: "\(place)/\($0)") }
    }

    private static func `is`(_ value: JSONValue, _ type: String) -> Bool {
        switch (value, type) {
        case (.null, "null"), (.bool, "boolean"), (.number, "number"), (.string, "string"), (.array, "array"), (.object, "object"): true
        case (.number(let number), "integer"): number == number.rounded()
        default: false
        }
    }
}

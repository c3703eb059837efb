import Foundation

/// An answer of the suite's origin within the value that pipelines keep: status, all header fields and body.
///
/// A pipeline keeps values, and of an answer's fields only those that are about the value. What the suite needs to tell one answer from
/// another travels inside of the value: the driver wraps it at the origin and unwraps it at the client.
struct WrappedAnswer: Codable, Sendable {
    struct Field: Codable, Sendable {
        let name: String
        let value: String
    }

    let status: Int
    var fields: [Field]
    let body: String

    var bytes: [UInt8] { (try? JSONEncoder().encode(self)).map(Array.init) ?? [] }

    init(status: Int, fields: [Field], body: String) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    init(_ bytes: [UInt8]) throws {
        self = try JSONDecoder().decode(WrappedAnswer.self, from: Data(bytes))
    }

    /// The value of the field called `name`; several of them as one list.
    subscript(name: String) -> String? {
        let values = fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}

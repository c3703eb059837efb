public import Foundation
public import Pipeline

extension Outcome {
    /// The value decoded from JSON; nil when there is none.
    ///
    /// Throws ``LoadError`` when the fetch failed, and `DecodingError` when the payload is not a `Value`.
    public func value<Value: Decodable>(as type: Value.Type, decoder: JSONDecoder = JSONDecoder()) throws -> Value? {
        try payload.map { try decoder.decode(type, from: Data($0)) }
    }
}

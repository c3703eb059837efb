public import Foundation
public import Pipeline

extension Snapshot {
    /// The value decoded from JSON; nil while there is none, and when there is none to have.
    ///
    /// Throws `DecodingError` when the value is not a `Value`, and ``LoadError`` when there is no value because the load failed. A value whose
    /// refresh failed is still a value: ``LiveStatus/error`` says why there is no newer one.
    public func value<Value: Decodable>(as type: Value.Type, decoder: JSONDecoder = JSONDecoder()) throws -> Value? {
        if let payload = entry?.payload { return try decoder.decode(type, from: Data(payload)) }
        if !isNotFound, let error = status.error { throw error }
        return nil
    }
}

public import Foundation
public import Pipeline
public import PipelineLive

/// The value that the newest bytes of an observer decode to. Bytes are decoded once, however often the status changes.
struct Decoded<Value: Sendable> {
    /// The value of the newest bytes that are one; nil without bytes.
    private(set) var value: Value?
    /// The reason why the newest bytes are no value; nil if they are one.
    private(set) var error: (any Error)?

    /// Takes the newest bytes; nil if there is no value.
    mutating func decode(_ bytes: [UInt8]?, with decoder: JSONDecoder) where Value: Decodable {
        error = nil
        do {
            value = try bytes.map { try decoder.decode(Value.self, from: Data($0)) }
        } catch {
            self.error = error
        }
    }
}

extension Outcome {
    /// The value decoded from JSON; nil if there is none.
    ///
    /// Throws ``LoadError`` when the fetch failed, and `DecodingError` when the payload is not a `Value`.
    public func value<Value: Decodable>(as type: Value.Type, decoder: JSONDecoder = JSONDecoder()) throws -> Value? {
        try payload.map { try decoder.decode(type, from: Data($0)) }
    }
}

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

internal import Foundation

/// What the newest bytes of an observer decode to. Bytes are decoded once, however often the status changes.
struct Decoded<Value: Sendable> {
    /// The value of the newest bytes that are one; nil without bytes.
    private(set) var value: Value?
    /// Why the newest bytes are no value; nil when they are.
    private(set) var error: (any Error)?

    /// Takes the newest bytes; nil when there is no value.
    mutating func decode(_ bytes: [UInt8]?, with decoder: JSONDecoder) where Value: Decodable {
        error = nil
        do {
            value = try bytes.map { try decoder.decode(Value.self, from: Data($0)) }
        } catch {
            self.error = error
        }
    }
}

import Pipeline

/// A load that goes on where an earlier one of its key broke off, and leaves its own beginning to the next.
struct Download: Sendable {
    private let key: Key
    private let parts: PartialBodies
    private let permit: Generations.WritePermit?

    init(_ key: Key, of parts: PartialBodies, _ permit: Generations.WritePermit?) {
        self.key = key
        self.parts = parts
        self.permit = permit
    }

    /// What an earlier load left.
    var part: PartialBody? { parts[key] }

    func keep(_ part: PartialBody?) { if let part { parts.keep(part, of: key, permit) } }

    func drop() { parts.drop(key) }
}

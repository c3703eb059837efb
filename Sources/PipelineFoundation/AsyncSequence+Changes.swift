/// A change of a part of a value.
public struct ValueChange<Part: Sendable>: Sendable {
    /// What it was; nil when there was no value.
    public let old: Part?
    /// What it is; nil when there is no value any more.
    public let new: Part?

    /// A change from `old` to `new`.
    public init(old: Part?, new: Part?) {
        self.old = old
        self.new = new
    }
}

extension ValueChange: Equatable where Part: Equatable {}

extension AsyncSequence where Failure == Never, Self: Sendable {
    /// The changes of one part of the value: what it was and what it is, only when these differ.
    ///
    /// ```swift
    /// for await count in pipeline.snapshots(key).values(as: [Friend].self).changes(of: \.count) {
    ///     announce(from: count.old, to: count.new)
    /// }
    /// ```
    ///
    /// The first value is a change, too: from nil. So is a value that goes away: to nil. A change of the status alone is none, and neither is a
    /// value that does not decode.
    public func changes<Value: Sendable, Part: Equatable & Sendable>(
        of part: any KeyPath<Value, Part> & Sendable
    ) -> some AsyncSequence<ValueChange<Part>, Never> & Sendable where Element == ValueSnapshot<Value> {
        ScannedSequence(base: self, state: Part?.none) { known, snapshot in
            let new = snapshot.value.map { $0[keyPath: part] }
            guard new != known else { return nil }
            defer { known = new }
            return ValueChange(old: known, new: new)
        }
    }
}

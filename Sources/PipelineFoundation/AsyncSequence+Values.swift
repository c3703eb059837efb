public import Foundation
public import Pipeline

/// What ``Snapshots`` and sequences made from them give as values of a type.
extension AsyncSequence where Element == Snapshot, Failure == Never, Self: Sendable {
    /// The snapshots with their values decoded from JSON.
    ///
    /// ```swift
    /// for await friends in pipeline.snapshots(key).values(as: [Friend].self) {
    ///     show(friends.value, loading: friends.status.isLoading, problem: friends.error)
    /// }
    /// ```
    ///
    /// A value that is not a `Value` is an error of the element, and the sequence goes on. A value is decoded once, however often its status
    /// changes.
    public func values<Value: Decodable & Sendable>(
        as type: Value.Type, decoder: JSONDecoder = JSONDecoder()
    ) -> some AsyncSequence<ValueSnapshot<Value>, Never> & Sendable {
        ScannedSequence(base: self, state: (revision: UInt64?.none, decoded: Decoded<Value>())) { state, snapshot in
            let isNew = state.revision != snapshot.revision || snapshot.changes != .none
            if isNew { state.decoded.decode(snapshot.entry?.payload, with: decoder) }
            state.revision = snapshot.revision
            return ValueSnapshot(state.decoded, snapshot.status, hasNewValue: isNew)
        }
    }

    /// One element of a list that a feed merges by id, as it changes; its value is nil while the list has no element with this id.
    ///
    /// Changes of other elements give nothing: no two neighbours have the same bytes and the same status. `id` is the text of a string, or a
    /// number as JSON writes it. A value that is no list merged by id has no elements.
    public func element<Value: Decodable & Sendable>(
        _ id: String, as type: Value.Type, decoder: JSONDecoder = JSONDecoder()
    ) -> some AsyncSequence<ValueSnapshot<Value>, Never> & Sendable {
        ScannedSequence(base: self, state: (bytes: [UInt8]?.none, status: LiveStatus?.none, decoded: Decoded<Value>())) { state, snapshot in
            let bytes = snapshot.element(id)
            let isNew = bytes != state.bytes
            guard isNew || snapshot.status != state.status else { return nil }
            if isNew { state.decoded.decode(bytes, with: decoder) }
            (state.bytes, state.status) = (bytes, snapshot.status)
            return ValueSnapshot(state.decoded, snapshot.status, hasNewValue: isNew)
        }
    }
}

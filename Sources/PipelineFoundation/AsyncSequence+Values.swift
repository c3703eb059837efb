public import Foundation
import Pipeline
public import PipelineLive

/// Values of a type from ``Snapshots`` and from sequences made from them.
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

/// A decoded value and its status at one moment.
public struct ValueSnapshot<Value: Sendable>: Sendable {
    /// The value; nil while there is none, and when there is none to have.
    ///
    /// When the newest value is not a `Value`, this is still the one before: ``error`` says so.
    public let value: Value?
    /// The status that is known beside the value.
    public let status: LiveStatus
    /// The reason why the value is not the newest: a `DecodingError` if the newest is not a `Value`, else `LiveStatus.error`; nil if it
    /// is.
    public let error: (any Error)?
    /// Indicates whether the value was decoded for this snapshot: one that changed the status alone carries on the value before.
    package let hasNewValue: Bool

    init(_ decoded: Decoded<Value>, _ status: LiveStatus, hasNewValue: Bool) {
        value = decoded.value
        self.status = status
        error = decoded.error ?? status.error
        self.hasNewValue = hasNewValue
    }
}

/// A change of a part of a value.
public struct ValueChange<Part: Sendable>: Sendable {
    /// The part before the change; nil if there was no value.
    public let old: Part?
    /// The part after the change; nil if there is no value any more.
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

/// The elements of another sequence, each transformed with what is known from those before; nil leaves one out. It observes as long as its
/// iterator lives.
struct ScannedSequence<Base: AsyncSequence & Sendable, State: Sendable, Element>: AsyncSequence, Sendable where Base.Failure == Never {
    typealias Failure = Never

    let base: Base
    let state: State
    let transform: @Sendable (inout State, Base.Element) -> Element?

    func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator(), state: state, transform: transform) }

    struct Iterator: AsyncIteratorProtocol {
        var base: Base.AsyncIterator
        var state: State
        let transform: @Sendable (inout State, Base.Element) -> Element?

        mutating func next() async -> Element? { await next(isolation: #isolation) }

        mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            while let element = await base.next(isolation: actor) {
                if let transformed = transform(&state, element) { return transformed }
            }
            return nil
        }
    }
}

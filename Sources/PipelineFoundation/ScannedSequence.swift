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

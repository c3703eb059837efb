@testable import Pipeline

extension Loader {
    /// Combines loads of the same key and policy into one.
    func coalescing() -> Loader {
        // Without a beginning: the request that begins a flight must join it, and the stages around this one may pass on another.
        Loader(name, load: load).coalescing(in: Flights(of: name)) { Call.ID(key: $0.key, policy: $0.policy) }
    }
}

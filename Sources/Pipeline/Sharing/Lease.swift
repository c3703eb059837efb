/// The right to load a key, which one of several processes has at a time.
struct Lease: Sendable {
    let key: Key
    /// Names this load, among all of all processes.
    let holder: String
    /// When another process may take it, unless it is renewed before.
    let end: Timestamp
}

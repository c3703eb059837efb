/// What one process publishes to the others that share a source with it: their own earlier copies may no longer hold.
///
/// New cases may come: switch with a `default`.
public enum InvalidationMessage: Sendable, Hashable {
    /// The value of this key was removed, put or loaded anew.
    case key(Key)
    /// Every value of the pipeline of this name was removed.
    case pipeline(String)
}

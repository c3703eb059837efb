/// What one process tells the others that share a source with it: copies of their own that were made before may no longer hold.
public enum Announcement: Sendable, Hashable {
    /// The value of this key was removed, put or loaded anew.
    case key(Key)
    /// Every value of the pipeline of this name was removed.
    case pipeline(String)
}

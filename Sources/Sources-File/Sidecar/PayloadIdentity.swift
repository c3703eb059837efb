/// What distinguishes one payload at a path from another: its size and the time of its last change, in nanoseconds.
///
/// Neither device nor inode belongs to it, so that a folder that was copied with its times keeps its metadata.
struct PayloadIdentity: Equatable, Sendable {
    let size: Int
    let modified: Int64

    /// Whether this payload was written as `recorded` and then lost bytes: same time, other size. An edit changes the time.
    ///
    /// After a power failure, a file that was not synced can have its name and times but not its bytes. A file system
    /// that keeps whole seconds cannot tell this from an edit within the second, and gets the benefit of the doubt.
    func isTorn(from recorded: PayloadIdentity) -> Bool {
        modified == recorded.modified && size != recorded.size && modified % 1_000_000_000 != 0
    }
}

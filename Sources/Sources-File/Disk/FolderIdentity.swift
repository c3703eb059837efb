/// Which folder it is, whatever path leads to it.
struct FolderIdentity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
}

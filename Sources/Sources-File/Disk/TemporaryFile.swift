internal import Pipeline
internal import Synchronization

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// A hidden file next to the one it will replace. It is gone with this object unless it got its name.
///
/// Its writer holds the file's lock: one whose lock can be taken was left behind by a process that died, whatever its
/// number was and in whichever container it ran.
final class TemporaryFile: Sendable {
    static let prefix = ".pipe-run-"
    static let suffix = ".tmp"

    let folder: Folder
    private let name: String
    let descriptor: FileDescriptor
    private let isPlaced = Atomic(false)

    /// Makes an empty file in `folder`.
    init(in folder: Folder, mode: FileMode = .ownerOnly) throws(SystemFailure) {
        var attempts = 0
        while true {
            let name = "\(Self.prefix)\(String(UInt64.random(in: .min ... .max), radix: 16))\(Self.suffix)"
            do {
                let descriptor = try FileDescriptor(opening: name, from: folder.descriptor.number, O_WRONLY | O_CREAT | O_EXCL)
                // Between creation and lock a sweep can take the file for a leftover; then another one is made.
                if descriptor.lock() != .heldByAnother, try !descriptor.isUnlinked() {
                    if mode != .ownerOnly { try descriptor.setMode(mode) }
                    self.folder = folder
                    self.name = name
                    self.descriptor = descriptor
                    return
                }
            } catch {
                guard error.code == EEXIST else { throw error }
            }
            attempts += 1
            guard attempts < 100 else { throw SystemFailure(code: EAGAIN) }
        }
    }

    deinit {
        if !isPlaced.load(ordering: .relaxed) { _ = try? folder.removeFile(name) }
    }

    /// Gives the file its name, in place of what had it.
    func place(as name: String) throws(SystemFailure) {
        guard renameat(folder.descriptor.number, self.name, folder.descriptor.number, name) == 0 else { throw .last }
        isPlaced.store(true, ordering: .relaxed)
    }

    /// Indicates whether a file of this name is a temporary one: the prefix, a number in hexadecimal digits, the suffix.
    static func isName(_ name: String) -> Bool {
        guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return false }
        let number = name.utf8.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count)
        return (1...16).contains(number.count) && number.allSatisfy("0123456789abcdef".utf8.contains)
    }

    /// Unlinks the temporary files in `folder` whose writers are gone. What cannot be swept stays, and does no harm.
    static func sweepLeftovers(in folder: Folder) {
        guard let names = try? FolderListing(of: folder).files else { return }
        for name in names where isName(name) {
            guard (try? folder.kind(of: name)) == .regular,
                let file = try? FileDescriptor(opening: name, from: folder.descriptor.number, O_RDWR | O_NONBLOCK | O_NOFOLLOW),
                (try? FileStatus(of: file).kind) == .regular,
                file.lock() == .locked
            else { continue }
            _ = try? folder.removeFile(name)
        }
    }
}

/// Remembers in which folders the temporary files of dead processes were removed.
final class SweptFolders: Sendable {
    /// The number of folders beyond which they are forgotten, and swept again.
    private static let limit = 4096

    private let paths = Mutex<Set<String>>([])

    /// Sweeps `folder` unless that was done before.
    func sweepOnce(_ path: String) {
        let isFirst = paths.withLock { paths in
            if paths.count >= Self.limit { paths = [] }
            return paths.insert(path).inserted
        }
        guard isFirst, let folder = try? Folder(path) else { return }
        TemporaryFile.sweepLeftovers(in: folder)
    }
}

internal import Pipeline
internal import Synchronization

/// Copies to write or remove, one after the other, and how far that has come: after an attempt that found a folder busy comes another one.
///
/// While the folder stays the same, so does its lock.
final class FileChanges: Sendable {
    struct Change: Sendable {
        let key: Key
        let path: String
        /// The entry; nil removes the copy.
        let entry: Entry?
        /// The moment when the load of the entry began, of which a newer copy is left in place; nil to replace any.
        let begin: Timestamp?
    }

    private struct Progress {
        var next = 0
        var failures: [Int: any Error] = [:]
        /// The payload of the next change, written to the disk already. Kept only while the folder's turn is held.
        var draft: TemporaryFile?
        /// The number of times the folder was gone before the payload was in it.
        var prunings = 0
    }

    private let changes: [Change]
    private let source: FileSource
    private let progress = Mutex(Progress())

    init(_ changes: [Change], of source: FileSource) {
        self.changes = changes
        self.source = source
    }

    /// The changes that failed, by number.
    var failures: [Int: any Error] { progress.withLock(\.failures) }

    /// The failures if the rest is given up because of `error`.
    func failures(inPlaceOfTheRest error: any Error) -> [Int: any Error] {
        progress.withLock { progress in
            for number in progress.next..<changes.count { progress.failures[number] = error }
            progress.draft = nil
            return progress.failures
        }
    }

    /// Goes on as far as possible. Called by one thread at a time.
    func attempt(owning owned: FolderIdentity?) throws -> FolderLocks.Attempt<Void> {
        while let number = next() {
            let change = changes[number]
            do {
                guard let folder = try folder(of: change) else {
                    end(number)
                    continue
                }
                if try !goOn(in: folder, owning: owned) { return .busy(try folder.identity()) }
            } catch {
                end(number, error)
            }
        }
        return .done(())
    }

    private func next() -> Int? {
        progress.withLock { $0.next < changes.count ? $0.next : nil }
    }

    private func end(_ number: Int, _ error: (any Error)? = nil) {
        progress.withLock { progress in
            progress.next = number + 1
            progress.failures[number] = error
            progress.draft = nil
        }
    }

    /// The folder of a copy; nil if there is nothing to remove.
    private func folder(of change: Change) throws -> Folder? {
        if let draft = progress.withLock(\.draft) { return draft.folder }
        if change.entry != nil {
            source.swept.sweepOnce(Folder.parent(of: change.path))
            return try source.writer.folder(of: change.path)
        }
        do {
            return try Folder(Folder.parent(of: change.path))
        } catch {
            if error.isMissing { return nil }
            throw SourceError.cannot("remove", change.path, error)
        }
    }

    /// Makes the next change and those that follow in the same folder; returns false when that is busy.
    private func goOn(in folder: Folder, owning owned: FolderIdentity?) throws -> Bool {
        var isThere = true
        let isDone: Void? = try source.locks.holding(folder, owned: owned) {
            isThere = try prepare(in: folder)
        } _: {
            while isThere, let number = next(), Folder.parent(of: changes[number].path) == folder.path {
                do {
                    isThere = try prepare(in: folder)
                    guard isThere else { break }
                    try make(changes[number], in: folder)
                    end(number)
                } catch {
                    end(number, error)
                }
            }
        }
        if isDone == nil, try owned != folder.identity() { progress.withLock { $0.draft = nil } }
        return isDone != nil
    }

    /// Has the payload of the next change ready; false when the folder was removed meanwhile.
    private func prepare(in folder: Folder) throws -> Bool {
        guard let number = next(), let entry = changes[number].entry, progress.withLock({ $0.draft == nil }) else { return true }
        let draft = try source.writer.draft(of: entry, in: folder, for: changes[number].path)
        let prunings = progress.withLock { progress in
            progress.draft = draft
            progress.prunings = draft == nil ? progress.prunings + 1 : 0
            return progress.prunings
        }
        guard prunings < 8 else {
            throw SourceError.cannot("write", changes[number].path, because: "its folder is removed again and again")
        }
        return draft != nil
    }

    private func make(_ change: Change, in folder: Folder) throws {
        if let entry = change.entry, let draft = progress.withLock(\.draft) {
            let status = try source.writer.place(
                draft, of: entry, forKey: change.key.text, in: folder, at: change.path, loadedSince: change.begin)
            source.wrote(entry, for: change.key, at: change.path, status)
            try source.writer.synchronize(folder, after: "write", change.path)
        } else {
            _ = try source.writer.removePair(at: change.path, in: folder)
            source.bound?.forget(change.path)
            try source.writer.synchronize(folder, after: "remove", change.path)
        }
    }
}

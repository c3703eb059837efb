#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif
internal import Pipeline

/// Writes and removes copies: payload and metadata change together, or not at all.
///
/// 1. The payload goes to a temporary file, gets a time of change that no other payload of its path has, and is synced where asked.
/// 2. With the folder's lock held, so that what is read in it still holds at its end, also against other processes:
///    the sidecar is replaced by one that has the record of the present payload and that of the new one, then the payload.
///
/// A process that dies before the first rename has changed nothing but a temporary file; between the two, the old
/// payload still finds its record; after them, the new one does. Without the lock, two writers could
/// leave the payload of the one with the sidecar of the other, and its limit would be lost.
struct CopyWriter: Sendable {
    /// Steps in which a payload is written.
    private static let chunk = 256 << 10

    let isDurable: Bool
    let stamps: StampSource
    let sidecars: SidecarReader
    var before: FileStepHook?

    /// Writes `entry` for the key `text` to `path`.
    ///
    /// - Parameter placed: called with the lock still held, when the new payload has its name.
    /// - Returns: what the file system says about the new payload.
    func write(_ entry: Entry, forKey text: String, to path: String, placed: () -> Void) throws -> FileStatus {
        do {
            try before?(.createTemporary)
            let (folder, temporary) = try temporaryFile(besidePayload: path)
            try fill(temporary, with: entry.payload ?? [])
            try before?(.lockFolder)
            let status = try folder.locked {
                let present = try Self.presentPayload(at: path)
                let status = try stamp(temporary, unlike: present)
                let record = SidecarRecord(of: entry, key: text, identity: status.identity)
                try writeSidecar(with: record, in: folder, besidePayload: path, present: present)
                try before?(.replacePayload)
                try temporary.place(as: Folder.name(of: path))
                placed()
                return status
            }
            try synchronize(folder)
            return status
        } catch let failure as SystemFailure {
            throw SourceError.cannot("write", path, failure)
        }
    }

    /// Gives the payload at `path` the metadata of `entry`, while its size, its time and its sidecar say that it is `held`.
    ///
    /// The payload keeps its time, and so a change by other hands still shows, whenever it comes.
    ///
    /// - Returns: what the file system says about the payload; nil when it is another one, or gone.
    func renew(_ held: Entry, as entry: Entry, forKey text: String, at path: String) throws -> FileStatus? {
        do {
            let folder = try Folder(Folder.parent(of: path))
            try before?(.lockFolder)
            let renewed: FileStatus? = try folder.locked {
                guard let present = try Self.presentPayload(at: path), present.size == held.payload?.count,
                    try isCopy(of: held, forKey: text, present, at: path)
                else { return nil }
                let record = SidecarRecord(of: entry, key: text, identity: present.identity)
                try writeSidecar(with: record, in: folder, besidePayload: path, present: nil)
                return present
            }
            if renewed != nil { try synchronize(folder) }
            return renewed
        } catch let failure as SystemFailure {
            if failure.isMissing { return nil }
            throw SourceError.cannot("write", path, failure)
        }
    }

    /// Whether what is known of the payload is what is known of `held`: by its record, or by its own time where other hands wrote it.
    private func isCopy(of held: Entry, forKey text: String, _ payload: FileStatus, at path: String) throws -> Bool {
        switch try sidecars.read(besidePayload: path)?.finding(for: payload.identity) ?? .nothing {
        case .record(let record): record.key == text && record.entry.created == held.created && record.entry.stored == held.stored
        case .torn: false
        case .nothing: held.created.nanoseconds == payload.modified
        }
    }

    /// Removes the payload at `path` and its sidecar, where there are any; tells whether there were.
    ///
    /// - Parameter condition: asked with the lock held; when it says no, both stay.
    @discardableResult
    func remove(_ path: String, if condition: () -> Bool = { true }) throws -> Bool {
        do {
            let folder = try Folder(Folder.parent(of: path))
            let wasThere = try folder.locked { try condition() && removePair(Folder.name(of: path), in: folder) }
            try synchronize(folder)
            return wasThere
        } catch let failure as SystemFailure where !failure.isMissing {
            throw SourceError.cannot("remove", path, failure)
        } catch is SystemFailure {
            return false
        }
    }

    /// Removes the payload `name` and then its sidecar; false when there was neither. The caller holds the folder's lock.
    func removePair(_ name: String, in folder: Folder) throws(SystemFailure) -> Bool {
        try before?(.removePayload)
        let hadPayload = try folder.removeFile(name)
        try before?(.removeSidecar)
        let hadSidecar = try folder.removeFile(FileLayout.sidecarName(of: name))
        return hadPayload || hadSidecar
    }

    /// Waits, where asked, until the folder's names are on the disk.
    func synchronize(_ folder: Folder) throws(SystemFailure) {
        guard isDurable else { return }
        try before?(.syncFolder)
        try folder.descriptor.synchronize()
    }

    private func temporaryFile(besidePayload path: String) throws(SystemFailure) -> (Folder, TemporaryFile) {
        // A `clear` can prune the folder again before the file is in it.
        for _ in 0..<8 {
            do {
                let folder = try Folder.making(Folder.parent(of: path), isDurable: isDurable)
                return (folder, try TemporaryFile(in: folder))
            } catch {
                guard error.isMissing else { throw error }
            }
        }
        throw SystemFailure(code: ENOENT)
    }

    private func fill(_ file: TemporaryFile, with payload: [UInt8]) throws(SystemFailure) {
        var start = 0
        repeat {
            try before?(.writePayload)
            let end = min(start + Self.chunk, payload.count)
            try file.descriptor.append(payload[start..<end])
            start = end
        } while start < payload.count
        guard isDurable else { return }
        try before?(.syncPayload)
        try file.descriptor.synchronize()
    }

    /// The payload that is at `path`, or nil. Fails where something stands that no payload may take the place of.
    private static func presentPayload(at path: String) throws -> FileStatus? {
        do {
            let status = try FileStatus(of: path)
            guard status.kind == .regular else {
                throw SourceError.cannot(
                    "write", path, because: status.kind == .folder ? "it is a folder" : "it is not a regular file")
            }
            return status
        } catch let failure as SystemFailure where failure.isMissing {
            return nil
        }
    }

    /// Gives `file` a time of its own. File systems that keep coarse times need a larger step away from the present payload's.
    private func stamp(_ file: TemporaryFile, unlike present: FileStatus?) throws(SystemFailure) -> FileStatus {
        try before?(.stampPayload)
        let time = stamps.next()
        var status = try FileStatus(of: file.descriptor)
        for step: Int64 in [0, 1, 1_000, 1_000_000_000, 2_000_000_000] {
            try file.descriptor.setTimes(to: time.addingReportingOverflow(step).partialValue)
            // Asked for, since the file system may have rounded it.
            status = try FileStatus(of: file.descriptor)
            if status.identity != present?.identity { break }
        }
        return status
    }

    private func writeSidecar(with record: SidecarRecord, in folder: Folder, besidePayload path: String, present: FileStatus?) throws {
        // One that cannot be read is replaced like one that makes no sense.
        let known = present.flatMap { present in (try? sidecars.read(besidePayload: path))?.record(of: present.identity) }
        let text = Sidecar(records: (known.map { [$0] } ?? []) + [record]).text
        guard text.count <= Sidecar.longestText else {
            throw SourceError.cannot("write", path, because: "its metadata has \(text.count) bytes")
        }
        let temporary = try TemporaryFile(in: folder)
        try before?(.writeSidecar)
        try temporary.descriptor.append(text[...])
        if isDurable {
            try before?(.syncSidecar)
            try temporary.descriptor.synchronize()
        }
        try before?(.replaceSidecar)
        try temporary.place(as: FileLayout.sidecarName(of: Folder.name(of: path)))
    }
}

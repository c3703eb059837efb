internal import Pipeline
internal import Synchronization

/// Another process wrote a newer copy since the load of this one began: that one stays.
struct NewerCopyError: Error {}

/// Writes and removes copies: payload and metadata change together, or not at all.
///
/// 1. The payload goes to a temporary file, gets a time of change that no other payload of its path has, and is synced where asked.
/// 2. With the folder's lock held, so that what is read in it still holds at its end, also against other processes: the sidecar is replaced
///   by one that has the records of the present payload and of the new one, then the payload.
///
/// A process that dies before the first rename has changed nothing but a temporary file; between the two, the old
/// payload still finds its record; after them, the new one does. Without the lock, two writers could
/// leave the payload of the one with the sidecar of the other, and its limit would be lost.
struct CopyWriter: Sendable {
    /// Steps in which a payload is written.
    private static let chunk = 256 << 10

    let isDurable: Bool
    let mode: FileMode
    let stamps: StampSource
    let sidecars: SidecarReader
    var before: FileStepHook?

    /// The folder of the payload at `path`, made where it is missing.
    func folder(of path: String) throws -> Folder {
        do {
            try before?(.createTemporary)
            return try Folder.making(Folder.parent(of: path), mode: mode, isDurable: isDurable)
        } catch {
            throw SourceError.cannot("write", path, error)
        }
    }

    /// A temporary file with the payload of `entry`. Nil if the folder was removed meanwhile.
    func draft(of entry: Entry, in folder: Folder, for path: String) throws -> TemporaryFile? {
        do {
            let file = try TemporaryFile(in: folder, mode: mode)
            try fill(file, with: entry.payload ?? [])
            try before?(.lockFolder)
            return file
        } catch {
            // A `clear` can prune the folder again before the file is in it.
            if error.isMissing { return nil }
            throw SourceError.cannot("write", path, error)
        }
    }

    /// Gives `draft` the name that `path` ends in, and its sidecar the record of `entry`. The caller holds the folder's lock.
    ///
    /// - Parameter begin: when the load of the entry began; nil to replace any copy. Throws ``NewerCopyError`` for a newer one written since.
    /// - Returns: what the file system says about the new payload.
    func place(
        _ draft: TemporaryFile, of entry: Entry, forKey text: String, in folder: Folder, at path: String,
        loadedSince begin: Timestamp? = nil
    ) throws -> FileStatus {
        do {
            let present = try Self.presentPayload(at: path, in: folder)
            if let begin, let present, isNewer(present, at: path, than: entry, forKey: text, loadedSince: begin) { throw NewerCopyError() }
            let status = try stamp(draft, unlike: present)
            let record = SidecarRecord(of: entry, key: text, identity: status.identity)
            try writeSidecar(with: record, in: folder, besidePayload: path, present: present)
            try before?(.replacePayload)
            try draft.place(as: Folder.name(of: path))
            return status
        } catch let failure as SystemFailure {
            throw SourceError.cannot("write", path, failure)
        }
    }

    /// Gives the payload at `path` the metadata of `entry`, while its size, its time and its sidecar say that it is `held`. The caller holds
    /// the folder's lock.
    ///
    /// The payload keeps its time, and so a change by other hands still shows, whenever it comes.
    ///
    /// - Returns: what the file system says about the payload; nil if it is another one, or gone.
    func renew(_ held: Entry, as entry: Entry, forKey text: String, in folder: Folder, at path: String) throws -> FileStatus? {
        do {
            guard let present = try Self.presentPayload(at: path, in: folder), present.size == held.payload?.count,
                try isCopy(of: held, forKey: text, present, at: path)
            else { return nil }
            let record = SidecarRecord(of: entry, key: text, identity: present.identity)
            try writeSidecar(with: record, in: folder, besidePayload: path, present: nil)
            return present
        } catch let failure as SystemFailure {
            throw SourceError.cannot("write", path, failure)
        }
    }

    /// Indicates whether the payload was stored after a load began that gave `entry`, and created later. One that a wall clock ahead
    /// created does not count.
    private func isNewer(
        _ payload: FileStatus, at path: String, than entry: Entry, forKey text: String, loadedSince begin: Timestamp
    ) -> Bool {
        let begin = stamps.clock.wallTime(of: begin).nanoseconds
        let (created, stored): (Timestamp, Timestamp)
        switch (try? sidecars.read(besidePayload: path))?.finding(for: payload.identity) ?? .nothing {
        case .record(let record) where record.key == text:
            (created, stored) = (record.entry.created, record.entry.stored ?? record.entry.created)
        case .nothing: (created, stored) = (Timestamp(nanoseconds: payload.modified), Timestamp(nanoseconds: payload.modified))
        case .record, .torn: return false
        }
        return created > entry.created && stored.nanoseconds > begin && created <= stamps.clock.wallNow
    }

    /// Indicates whether what is known of the payload is what is known of `held`: by its record, or by its own time where other hands wrote
    /// it.
    private func isCopy(of held: Entry, forKey text: String, _ payload: FileStatus, at path: String) throws -> Bool {
        switch try sidecars.read(besidePayload: path)?.finding(for: payload.identity) ?? .nothing {
        case .record(let record): record.key == text && record.entry.created == held.created && record.entry.stored == held.stored
        case .torn: false
        case .nothing: held.created.nanoseconds == payload.modified
        }
    }

    /// Removes the payload at `path` and then its sidecar; false when there was neither. The caller holds the folder's lock.
    ///
    /// Only regular files are removed: anything else there serves another purpose.
    func removePair(at path: String, in folder: Folder) throws -> Bool {
        do {
            let name = Folder.name(of: path)
            try before?(.removePayload)
            let hadPayload = try removeRegularFile(name, in: folder, at: path)
            try before?(.removeSidecar)
            let sidecar = FileLayout.sidecarName(of: name)
            let hadSidecar = try removeRegularFile(sidecar, in: folder, at: folder.path + "/" + sidecar)
            return hadPayload || hadSidecar
        } catch let failure as SystemFailure {
            throw SourceError.cannot("remove", path, failure)
        }
    }

    private func removeRegularFile(_ name: String, in folder: Folder, at path: String) throws -> Bool {
        guard let kind = try folder.kind(of: name) else { return false }
        // Of a folder the system itself says so.
        if kind != .folder, let problem = kind.problem { throw SourceError.cannot("remove", path, because: problem) }
        return try folder.removeFile(name)
    }

    /// Waits, where asked, until the folder's names are on the disk.
    func synchronize(_ folder: Folder, after action: String, _ path: String) throws {
        guard isDurable else { return }
        do {
            try before?(.syncFolder)
            try folder.descriptor.synchronize()
        } catch {
            throw SourceError.cannot(action, path, error)
        }
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

    /// The payload at `path`, or nil. Fails where something stands that no payload may replace.
    private static func presentPayload(at path: String, in folder: Folder) throws -> FileStatus? {
        do {
            let status = try FileStatus(of: Folder.name(of: path), in: folder)
            if let problem = status.kind.problem { throw SourceError.cannot("write", path, because: problem) }
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
        let name = FileLayout.sidecarName(of: Folder.name(of: path))
        if let problem = try folder.kind(of: name)?.problem {
            throw SourceError.cannot("write", folder.path + "/" + name, because: problem)
        }
        let temporary = try TemporaryFile(in: folder, mode: mode)
        try before?(.writeSidecar)
        try temporary.descriptor.append(text[...])
        if isDurable {
            try before?(.syncSidecar)
            try temporary.descriptor.synchronize()
        }
        try before?(.replaceSidecar)
        try temporary.place(as: name)
    }
}

/// Gives the wall clock's time, and never the same moment twice, which distinguishes the payloads of one path.
final class StampSource: Sendable {
    let clock: PipelineClock
    private let last = Mutex(Int64.min)

    init(clock: PipelineClock) {
        self.clock = clock
    }

    /// The present in nanoseconds since 1970, later than any given before.
    func next() -> Int64 {
        let now = clock.wall().nanoseconds
        return last.withLock { last in
            last = max(now, last == .max ? .max : last + 1)
            return last
        }
    }
}

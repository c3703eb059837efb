public import Pipeline
internal import PipelineConfig

extension FileSource {
    /// 256 of a cache that does not wait for the disk, whose folders are locked once for many files then.
    public var mostWrittenAtOnce: Int { writer.isDurable ? 1 : 256 }

    /// Writes the file of `key` anew, in full or not at all. Cancellation ends a wait for a folder that another process holds, and does not
    /// stop a write that has begun to replace files. Throws a `SourceError` of the kind `notKept` for a payload that is larger than the
    /// bound by itself.
    public func write(_ entry: Entry, for key: Key) async throws {
        if let failure = await write([(entry, key)]).first ?? nil { throw failure }
    }

    /// Writes several files, as ``write(_:for:)`` writes one.
    public func write(_ entries: [(entry: Entry, key: Key)]) async -> [(any Error)?] {
        await write(entries.map { ($0.entry, $0.key, nil) }).map { if case .failure(let error) = $0 { error } else { nil } }
    }

    /// Writes several files, as ``write(_:for:)`` writes one, but none in place of a copy that another process wrote since the load began, and
    /// that was created later. The two are compared while the folder is locked.
    package func write(_ entries: [Loaded]) async -> [Result<Bool, any Error>] {
        var results = [Result<Bool, any Error>](repeating: .success(true), count: entries.count)
        var changes: [FileChanges.Change] = []
        var numbers: [Int] = []
        for (number, (entry, key, begin)) in entries.enumerated() {
            do {
                try Task.checkCancellation()
                let path = try checkedPath(of: entry, key)
                let isKept = bound?.admits(entry.payload?.count ?? 0) ?? true
                // What will not be kept is not written. The earlier copy is removed all the same, since it is no longer the value.
                if let bound, !isKept { results[number] = .failure(SourceError.notKept(within: bound.maxEntries, bound.maxBytes)) }
                changes.append(FileChanges.Change(key: key, path: path, entry: isKept ? clock.stored(entry) : nil, begin: begin))
                numbers.append(number)
            } catch {
                results[number] = .failure(error)
            }
        }
        for (number, failure) in await make(changes) {
            results[numbers[number]] = failure is NewerCopyError ? .success(false) : .failure(failure)
        }
        return results
    }

    /// Unlinks the file of `key`. What stands there and is no regular file stays: then it throws.
    public func remove(_ key: Key) async throws {
        try Task.checkCancellation()
        let change = FileChanges.Change(key: key, path: try layout.path(for: key), entry: nil, begin: nil)
        if let failure = await make([change])[0] { throw failure }
    }

    /// Makes the changes; returns the failures, by number.
    private func make(_ changes: [FileChanges.Change]) async -> [Int: any Error] {
        guard let first = changes.first else { return [:] }
        let all = FileChanges(changes, of: self)
        do {
            try await locks.run(toChange: first.path) { owned in
                if changes.contains(where: { $0.entry != nil }) { try self.bound?.fillOnce { try self.countedCopies() } }
                return try all.attempt(owning: owned)
            }
        } catch {
            return all.failures(inPlaceOfTheRest: error)
        }
        await removeExcess()
        return all.failures
    }

    /// The path of a copy that may be written.
    private func checkedPath(of entry: Entry, _ key: Key) throws -> String {
        let path = try layout.path(for: key)
        guard let payload = entry.payload else {
            throw SourceError.cannot("write", path, because: "a file cannot say that there is no value")
        }
        guard payload.count <= maxSize.bytes else {
            let limit = maxSize.written ?? ""
            throw SourceError.cannot("write", path, because: "\(payload.count) bytes are more than max_size (\(limit))")
        }
        guard !TemporaryFile.isName(Folder.name(of: path)) else {
            throw SourceError.cannot("write", path, because: "such a name is that of a temporary file")
        }
        return path
    }

    /// Replaces the metadata next to the file of `key`, if the file is still the one of `held`; the file itself is not touched.
    public func renew(_ held: Entry, as entry: Entry, for key: Key) async throws -> Bool {
        try Task.checkCancellation()
        let path = try layout.path(for: key)
        let (held, entry) = (clock.stored(held), clock.stored(entry))
        return try await locks.run(toChange: path) { owned in
            guard let folder = try self.presentFolder(of: path) else { return .done(false) }
            let isRenewed = try self.locks.holding(folder, owned: owned) {
                guard let status = try self.writer.renew(held, as: entry, forKey: key.text, in: folder, at: path) else { return false }
                self.wrote(entry, for: key, at: path, status)
                try self.writer.synchronize(folder, after: "write", path)
                return true
            }
            guard let isRenewed else { return .busy(try folder.identity()) }
            return .done(isRenewed)
        }
    }

    private func presentFolder(of path: String) throws -> Folder? {
        do {
            try writer.before?(.lockFolder)
            return try Folder(Folder.parent(of: path))
        } catch {
            if error.isMissing { return nil }
            throw SourceError.cannot("write", path, error)
        }
    }

    /// Notes a copy that has got its name. The folder's lock is still held.
    func wrote(_ entry: Entry, for key: Key, at path: String, _ status: FileStatus) {
        bound?.wrote(path, size: status.size)
        var entry = entry
        entry.payload = []
        reader.table.remember(CopyTable.Copy(path: path, status: status, entry: entry), for: key)
    }

    /// A file that cannot be unlinked stays and is no longer counted: the value that was to be written is.
    private func removeExcess() async {
        guard let bound else { return }
        for path in bound.takeExcess() {
            let isRemoved = try? await locks.run(toChange: path) { owned in
                guard let folder = try? Folder(Folder.parent(of: path)) else { return .done(false) }
                let removed = try self.locks.holding(folder, owned: owned) {
                    try !bound.contains(path) && self.writer.removePair(at: path, in: folder)
                }
                guard let removed else { return .busy(try folder.identity()) }
                return .done(removed)
            }
            if isRemoved == true { evicted(nil) }
        }
    }

    /// The copies of this source that are there: payloads beside a sidecar that names a key whose file it is.
    private func countedCopies() throws -> [SpaceBound.Found] {
        var found: [SpaceBound.Found] = []
        try FolderWalk.forEachFolder(of: layout) { stop in
            let names = Set(stop.files)
            for name in stop.files where names.contains(FileLayout.sidecarName(of: name)) {
                let path = stop.prefix + name
                guard let status = try? FileStatus(of: name, in: stop.folder), status.kind == .regular,
                    isOwn(path)
                else { continue }
                found.append(.init(path: path, size: status.size, lastUse: max(status.accessed, status.modified)))
            }
            return false
        }
        return found
    }

    private func isOwn(_ path: String) -> Bool {
        guard let sidecar = try? reader.sidecars.read(besidePayload: path), let record = sidecar.records.last,
            let key = Key(text: record.key)
        else { return false }
        return (try? layout.path(for: key)) == path
    }
}

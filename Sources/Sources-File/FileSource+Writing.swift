internal import Pipeline

extension FileSource {
    func writeNow(_ entry: Entry, for key: Key) throws {
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
        // What will not be kept is not written. The copy before it goes all the same: it is not the value any more.
        if let bound, !bound.admits(payload.count) {
            try removeNow(key)
            throw NotKept(within: bound.maxEntries, bound.maxBytes)
        }
        swept.sweepOnce(Folder.parent(of: path))
        try bound?.fillOnce { try countedCopies() }
        let status = try writer.write(entry, forKey: key.text, to: path) { bound?.wrote(path, size: payload.count) }
        remember(entry, for: key, at: path, status)
        removeExcess()
    }

    func renewNow(_ held: Entry, as entry: Entry, for key: Key) throws -> Bool {
        let path = try layout.path(for: key)
        guard let status = try writer.renew(held, as: entry, forKey: key.text, at: path) else { return false }
        bound?.read(path, size: status.size)
        remember(entry, for: key, at: path, status)
        return true
    }

    func removeNow(_ key: Key) throws {
        let path = try layout.path(for: key)
        try writer.remove(path)
        bound?.forget(path)
    }

    private func remember(_ entry: Entry, for key: Key, at path: String, _ status: FileStatus) {
        var entry = entry
        entry.payload = []
        reader.table.remember(CopyTable.Copy(path: path, status: status, entry: entry), for: key)
    }

    /// A file that cannot be unlinked stays and is no longer counted: the value that was to be written is.
    private func removeExcess() {
        guard let bound else { return }
        for path in bound.takeExcess() {
            if (try? writer.remove(path, if: { !bound.contains(path) })) == true { evicted(nil) }
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

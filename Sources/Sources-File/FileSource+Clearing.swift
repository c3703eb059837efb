internal import Pipeline
internal import PipelineConfig
internal import Synchronization

extension FileSource {
    /// Unlinks the files of every key of `pipeline`, and removes the folders that are empty then.
    ///
    /// Only copies go: files with our record beside them, and those that this source read or wrote. Every other file stays, whatever its name,
    /// and so does one whose record names another pipeline. What took the place of a copy and is no regular file stays, too, and the others are
    /// gone when this throws for it.
    public func clear(pipeline: String) async throws {
        try Task.checkCancellation()
        let problem = Mutex<(any Error)?>(nil)
        try await locks.run(toChange: layout.root) { owned in
            problem.withLock { $0 = nil }
            return try self.clearNow(pipeline, owning: owned) { error in problem.withLock { $0 = $0 ?? error } }
        }
        if let problem = problem.withLock(\.self) { throw problem }
    }

    /// Clears what is not busy. Another attempt no longer finds what this one has cleared.
    ///
    /// - Parameter fail: called with what cannot be cleared.
    private func clearNow(
        _ pipeline: String, owning owned: FolderIdentity?, fail: (any Error) -> Void
    ) throws -> FolderLocks.Attempt<Void> {
        if layout.template.isConstant { return try clearOnlyFile(of: pipeline, owning: owned) }
        var busy: FolderIdentity?
        let used = reader.table.paths(of: pipeline)
        do {
            try FolderWalk.forEachFolder(of: layout) { stop in
                let places = places(in: stop, of: pipeline, withoutPayload: true)
                guard !places.isEmpty else { return false }
                var hasCleared = false
                let isDone: Void? = try locks.holding(stop.folder, owned: owned) {
                    for path in places {
                        do { hasCleared = try clear(path, in: stop.folder, of: pipeline, used: used) || hasCleared } catch { fail(error) }
                    }
                }
                guard isDone != nil else {
                    // The folder whose turn is held comes first: the others may be free when it is done.
                    busy = busy == owned && busy != nil ? busy : try stop.folder.identity()
                    return false
                }
                TemporaryFile.sweepLeftovers(in: stop.folder)
                if hasCleared { try writer.synchronize(stop.folder, after: "clear", stop.folder.path) }
                return hasCleared
            }
        } catch {
            fail(error)
        }
        return busy.map { .busy($0) } ?? .done(())
    }

    private func clearOnlyFile(of pipeline: String, owning owned: FolderIdentity?) throws -> FolderLocks.Attempt<Void> {
        let path = try layout.path(for: Key(pipeline: pipeline, parameters: []))
        let folder: Folder
        do {
            folder = try Folder(Folder.parent(of: path))
        } catch {
            if error.isMissing { return .done(()) }
            throw SourceError.cannot("remove", path, error)
        }
        let used = reader.table.paths(of: pipeline)
        let isDone = try locks.holding(folder, owned: owned) { try clear(path, in: folder, of: pipeline, used: used) }
        guard isDone != nil else { return .busy(try folder.identity()) }
        try writer.synchronize(folder, after: "clear", folder.path)
        return .done(())
    }

    /// Removes the copy at `path` where it is one of the pipeline; returns whether it is. The caller holds the folder's lock.
    private func clear(_ path: String, in folder: Folder, of pipeline: String, used: Set<String>) throws -> Bool {
        guard try ownership(of: path, as: pipeline, used: used) == .own else { return false }
        _ = try writer.removePair(at: path, in: folder)
        bound?.forget(path)
        return true
    }
}

extension FileSource {
    /// The owner of a file that lies where a copy of a pipeline could.
    enum Ownership {
        /// A copy of the pipeline: our record stands beside it, whatever other hands did to it since, or this process used it as one.
        case own
        /// Our record beside it names another pipeline.
        case another
        /// No sign that a cache had to do with it.
        case foreign
    }

    /// The paths in a folder at which a file has the name of a copy of `pipeline`.
    ///
    /// - Parameter withoutPayload: whether a sidecar alone is enough.
    func places(in stop: FolderWalk.Stop, of pipeline: String, withoutPayload: Bool = false) -> [String] {
        let sidecars = Set(stop.files.map(FileLayout.sidecarName))
        let names = stop.files.compactMap { name in
            guard let payload = FileLayout.payloadName(ofSidecar: name) else { return TemporaryFile.isName(name) ? nil : name }
            return sidecars.contains(name) || !withoutPayload ? nil : payload
        }
        return names.map { stop.prefix + $0 }.filter { layout.template.matches($0, pipeline: pipeline) }.sorted()
    }

    /// The owner of the file at `path`.
    ///
    /// - Parameter used: the paths that this process used as copies of `pipeline`.
    func ownership(of path: String, as pipeline: String, used: Set<String>) throws -> Ownership {
        if let sidecar = try reader.sidecars.read(besidePayload: path) {
            let status = try? FileStatus(of: path, following: false)
            guard let record = status.flatMap({ sidecar.record(of: $0.identity) }) ?? sidecar.records.last else { return .foreign }
            return Key(text: record.key)?.pipeline.utf8.elementsEqual(pipeline.utf8) == true ? .own : .another
        }
        return used.contains(path) ? .own : .foreign
    }
}

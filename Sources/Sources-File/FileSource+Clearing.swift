internal import Pipeline
internal import PipelineConfig
internal import Synchronization

extension FileSource {
    /// Unlinks the files of every key of `pipeline`, and removes the folders that are empty then.
    ///
    /// A file that the template gives only for keys of other pipelines stays, and so does one whose metadata names another. What has the name
    /// of a copy and is no regular file stays, too, and the others are gone when this throws for it.
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
        do {
            try FolderWalk.forEachFolder(of: layout) { stop in
                let names = namesToClear(in: stop, of: pipeline)
                guard !names.isEmpty else { return false }
                let isDone: Void? = try locks.holding(stop.folder, owned: owned) {
                    for name in names.sorted() where !isForeign(stop.prefix + name, to: pipeline) {
                        do { try clear(name, in: stop) } catch { fail(error) }
                    }
                }
                guard isDone != nil else {
                    // The folder whose turn is held comes first: the others may be free when it is done.
                    busy = busy == owned && busy != nil ? busy : try stop.folder.identity()
                    return false
                }
                TemporaryFile.sweepLeftovers(in: stop.folder)
                try writer.synchronize(stop.folder, after: "clear", stop.folder.path)
                return true
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
        let isDone: Void? = try locks.holding(folder, owned: owned) {
            if !isForeign(path, to: pipeline) { _ = try writer.removePair(at: path, in: folder) }
            bound?.forget(path)
        }
        guard isDone != nil else { return .busy(try folder.identity()) }
        try writer.synchronize(folder, after: "clear", folder.path)
        return .done(())
    }

    private func clear(_ name: String, in stop: FolderWalk.Stop) throws {
        _ = try writer.removePair(at: stop.prefix + name, in: stop.folder)
        bound?.forget(stop.prefix + name)
    }

    /// The payloads of `pipeline` in a folder, also those of which only the sidecar is left.
    private func namesToClear(in stop: FolderWalk.Stop, of pipeline: String) -> Set<String> {
        let payloads = Set(stop.files).union(stop.files.compactMap(FileLayout.payloadName(ofSidecar:)))
        return payloads.filter { layout.template.matches(stop.prefix + $0, pipeline: pipeline) }
    }

    /// Whether the payload at `path` was written for a key of another pipeline.
    private func isForeign(_ path: String, to pipeline: String) -> Bool {
        guard let status = try? FileStatus(of: path, following: false), let sidecar = try? reader.sidecars.read(besidePayload: path),
            let record = sidecar.record(of: status.identity)
        else { return false }
        return Key(text: record.key)?.pipeline.utf8.elementsEqual(pipeline.utf8) != true
    }
}

internal import Pipeline

extension FileSource {
    func clearNow(_ pipeline: String) throws {
        guard !layout.template.isConstant else {
            let path = try layout.path(for: Key(pipeline: pipeline, parameters: []))
            try writer.remove(path, if: { !isForeign(path, to: pipeline) })
            return
        }
        try FolderWalk.forEachFolder(of: layout) { stop in
            let names = namesToClear(in: stop, of: pipeline)
            guard !names.isEmpty else { return false }
            try stop.folder.locked {
                for name in names.sorted() where !isForeign(stop.prefix + name, to: pipeline) {
                    try clear(name, in: stop)
                }
            }
            TemporaryFile.sweepLeftovers(in: stop.folder)
            try synchronize(stop.folder)
            return true
        }
    }

    private func clear(_ name: String, in stop: FolderWalk.Stop) throws {
        do {
            _ = try writer.removePair(name, in: stop.folder)
            bound?.forget(stop.prefix + name)
        } catch {
            throw SourceError.cannot("remove", stop.prefix + name, error)
        }
    }

    private func synchronize(_ folder: Folder) throws {
        do {
            try writer.synchronize(folder)
        } catch {
            throw SourceError.cannot("clear", folder.path, error)
        }
    }

    /// The payloads of `pipeline` in a folder, also those of which only the sidecar is left.
    private func namesToClear(in stop: FolderWalk.Stop, of pipeline: String) -> Set<String> {
        let payloads = Set(stop.files).union(stop.files.compactMap(FileLayout.payloadName(ofSidecar:)))
        return payloads.filter { layout.template.matches(stop.prefix + $0, pipeline: pipeline) }
    }

    /// Whether the payload at `path` was written for a key of another pipeline.
    private func isForeign(_ path: String, to pipeline: String) -> Bool {
        guard let status = try? FileStatus(of: path), let sidecar = try? reader.sidecars.read(besidePayload: path),
            let record = sidecar.record(of: status.identity)
        else { return false }
        return Key(text: record.key)?.pipeline.utf8.elementsEqual(pipeline.utf8) != true
    }
}

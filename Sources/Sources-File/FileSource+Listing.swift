public import Pipeline
internal import PipelineConfig

extension FileSource {
    /// Lists the files of `pipeline` by their sidecars. A file that was edited by hand is listed with its own time.
    public func contents(of pipeline: String, limit: Int) async throws -> CacheContents? {
        try Task.checkCancellation()
        return try await DiskExecutor.shared.run { try self.contentsNow(of: pipeline, limit: limit) }
    }

    private func contentsNow(of pipeline: String, limit: Int) throws -> CacheContents {
        guard !layout.template.isConstant else {
            let key = Key(pipeline: pipeline, parameters: [])
            return try CacheContents([copy(at: layout.path(for: key), of: pipeline)].compactMap(\.self), limit: limit)
        }
        var paths: [String] = []
        try FolderWalk.forEachFolder(of: layout) { stop in
            // Sidecars begin with a dot and end in `.meta`, as no payload of a template does.
            let names = stop.files.filter { FileLayout.payloadName(ofSidecar: $0) == nil && !TemporaryFile.isName($0) }
            paths += names.map { stop.prefix + $0 }.filter { layout.template.matches($0, pipeline: pipeline) }
            return false
        }
        var copies: [CacheContents.Copy] = []
        for path in paths.sorted() where copies.count <= limit {
            try Task.checkCancellation()
            if let copy = try copy(at: path, of: pipeline) { copies.append(copy) }
        }
        return CacheContents(copies, limit: limit)
    }

    /// The copy at `path`; nil when there is none that belongs to `pipeline`, or it cannot be used.
    private func copy(at path: String, of pipeline: String) throws -> CacheContents.Copy? {
        guard let status = try? FileStatus(of: path), status.kind == .regular else { return nil }
        let time = Timestamp(nanoseconds: status.modified)
        let unknown = Entry([], created: time, stored: time)
        switch try reader.sidecars.read(besidePayload: path)?.finding(for: status.identity) ?? .nothing {
        case .torn: return nil
        case .nothing: return CacheContents.Copy(key: nil, place: path, entry: unknown, size: status.size)
        case .record(let record):
            guard let key = Key(text: record.key), key.pipeline.utf8.elementsEqual(pipeline.utf8) else { return nil }
            return CacheContents.Copy(key: key, place: path, entry: clock.restored(record.entry), size: status.size)
        }
    }
}

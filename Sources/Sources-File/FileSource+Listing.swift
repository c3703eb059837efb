public import Pipeline
internal import PipelineConfig

extension FileSource {
    /// Lists the copies of `pipeline` by their sidecars. A file that was edited by hand is listed with its own time. A file that is no copy is
    /// only counted.
    public func contents(of pipeline: String, limit: Int) async throws -> CacheContents? {
        try Task.checkCancellation()
        return try await DiskExecutor.shared.run { try self.contentsNow(of: pipeline, limit: limit) }
    }

    private func contentsNow(of pipeline: String, limit: Int) throws -> CacheContents {
        let used = reader.table.paths(of: pipeline)
        var copies: [CacheContents.Copy] = []
        var foreign = 0
        for path in try places(of: pipeline) {
            try Task.checkCancellation()
            guard let status = try? FileStatus(of: path, following: false), status.kind != .folder else { continue }
            switch try ownership(of: path, as: pipeline, used: used) {
            case .foreign: foreign += 1
            case .own where copies.count <= limit: if let copy = try copy(at: path, status) { copies.append(copy) }
            case .own, .another: break
            }
        }
        return CacheContents(copies, limit: limit, foreign: foreign)
    }

    private func places(of pipeline: String) throws -> [String] {
        guard !layout.template.isConstant else { return [try layout.path(for: Key(pipeline: pipeline, parameters: []))] }
        var places: [String] = []
        try FolderWalk.forEachFolder(of: layout) { stop in
            places += self.places(in: stop, of: pipeline)
            return false
        }
        return places.sorted()
    }

    /// The copy at `path`; nil when it cannot be used.
    private func copy(at path: String, _ status: FileStatus) throws -> CacheContents.Copy? {
        guard status.kind == .regular else { return nil }
        let time = Timestamp(nanoseconds: status.modified)
        let unknown = Entry([], created: time, stored: time)
        switch try reader.sidecars.read(besidePayload: path)?.finding(for: status.identity) ?? .nothing {
        case .torn: return nil
        case .nothing: return CacheContents.Copy(key: nil, place: path, entry: unknown, size: status.size)
        case .record(let record):
            guard let key = Key(text: record.key) else { return nil }
            return CacheContents.Copy(key: key, place: path, entry: clock.restored(record.entry), size: status.size)
        }
    }
}

public import Pipeline
internal import PipelineConfig

extension FileSource {
    /// Checks that files can be made in the folder; where it is missing, in the nearest folder above it that exists.
    ///
    /// Asks the system for permissions, and opens, makes and writes nothing.
    public func check() async throws -> Reachability {
        try Task.checkCancellation()
        try await DiskExecutor.shared.run { try self.checkNow() }
        return .reachable
    }

    private func checkNow() throws {
        let folder = try nearestFolder()
        do {
            try FileAccess.toMakeFiles(in: folder)
        } catch {
            throw SourceError.cannot("write into", folder, error)
        }
        guard layout.template.isConstant else { return }
        let path = try layout.path(for: Key(pipeline: "check"))
        do {
            guard try FileStatus(of: path).kind != .folder else { throw SourceError.cannot("use", path, because: "it is a folder") }
            try FileAccess.toRead(path)
        } catch let failure as SystemFailure {
            if !failure.isMissing { throw SourceError.cannot("read", path, failure) }
        }
    }

    /// The folder of the files, or the first above it that exists.
    private func nearestFolder() throws -> String {
        var path = layout.root
        while true {
            do {
                guard try FileStatus(of: path).kind == .folder else { throw SourceError.cannot("use", path, because: "it is not a folder") }
                return path
            } catch let failure as SystemFailure {
                let parent = Folder.parent(of: path)
                guard failure.isMissing, parent != path else { throw SourceError.cannot("use", path, failure) }
                path = parent
            }
        }
    }
}

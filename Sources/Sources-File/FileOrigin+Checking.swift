public import Pipeline
internal import PipelineConfig

extension FileOrigin: CheckableSource {
    /// Opens the file, or, where the path depends on the key, the folder that all files lie in. What is missing cannot be read.
    public func check() async throws -> Reachability {
        try Task.checkCancellation()
        try await DiskExecutor.shared.run { try self.checkNow() }
        return .reachable
    }

    private func checkNow() throws {
        let isFile = layout.template.isConstant
        let path = isFile ? try layout.path(for: Key(pipeline: "check")) : layout.root
        do {
            if isFile { try payloads.open(path) } else { _ = try Folder(path) }
        } catch let failure as SystemFailure {
            throw SourceError.cannot("read", path, failure)
        }
    }
}

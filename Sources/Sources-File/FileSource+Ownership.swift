internal import Pipeline
internal import PipelineConfig

extension FileSource {
    /// Whose a file is that lies where a copy of a pipeline could.
    enum Ownership {
        /// A copy of the pipeline: our record stands beside it, whatever other hands did to it since, or this process used it as one.
        case own
        /// Our record beside it names another pipeline.
        case another
        /// Nothing says that a cache had to do with it.
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

    /// Whose the file at `path` is.
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

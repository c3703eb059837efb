public import Pipeline
public import PipelineConfig

/// An origin whose values are files that other hands write: it reads, and never writes.
///
/// Symbolic links are followed, as deployments use them to switch from one version of a file to the next.
public struct FileOrigin: Source {
    let layout: FileLayout
    let payloads: PayloadReader
    private let clock: PipelineClock

    /// An origin of the files that `path` gives.
    ///
    /// - Parameter maxSize: the largest payload that is read; a larger one is an error.
    public init(path: PathTemplate, maxSize: Size = Size(bytes: 64 << 20), clock: PipelineClock = .system) {
        self.init(path: path, maxSize: maxSize, clock: clock, before: nil)
    }

    init(path: PathTemplate, maxSize: Size, clock: PipelineClock, before: FileStepHook?) {
        layout = FileLayout(path)
        payloads = PayloadReader(maxSize: maxSize, followsLinks: true, before: before)
        self.clock = clock
    }

    /// The file of `key`, or nil if there is none. It was created at its time of change, or now if that lies ahead.
    public func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        try Task.checkCancellation()
        return try await DiskExecutor.shared.run { try readNow(key) }
    }

    private func readNow(_ key: Key) throws -> Entry? {
        let path = try layout.path(for: key)
        guard let payload = try payloads.read(path) else { return nil }
        return Entry(
            payload.bytes,
            created: min(clock.moment(ofWallTime: Timestamp(nanoseconds: payload.status.modified)), clock.now),
            etag: Self.etag(of: payload.status),
            contentType: Self.contentType(of: path))
    }

    private static func etag(of status: FileStatus) -> String {
        let time = String(UInt64(bitPattern: status.modified), radix: 16)
        return "\"\(String(status.size, radix: 16))-\(time)\""
    }

    private static func contentType(of path: String) -> String? {
        let name = Folder.name(of: path)
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else { return nil }
        return switch name[name.utf8.index(after: dot)...].lowercased() {
        case "json": "application/json"
        case "txt": "text/plain; charset=utf-8"
        case "html", "htm": "text/html"
        case "xml": "application/xml"
        case "csv": "text/csv"
        case "yaml", "yml": "application/yaml"
        default: nil
        }
    }
}

extension FileOrigin {
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

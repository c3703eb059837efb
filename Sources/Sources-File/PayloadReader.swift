internal import Pipeline
internal import PipelineConfig

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// Reads payload files from beginning to end.
struct PayloadReader: Sendable {
    /// The bytes of a file and what the file system says about it.
    struct Payload {
        let bytes: [UInt8]
        let status: FileStatus
    }

    let maxSize: Size
    /// Indicates whether a symbolic link at the path of a payload is followed. In a cache, another user might have put it there.
    var followsLinks = false
    var before: FileStepHook?

    // A FIFO without a writer would block.
    private var flags: Int32 { O_RDONLY | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW) }

    /// The payload at `path`, or nil if there is no such file.
    ///
    /// A path that goes through something that is no folder is a failure, not a miss: it is a mistake of the configuration.
    func read(_ path: String) throws -> Payload? {
        do {
            // A file that grows or shrinks meanwhile is being written in place, by other hands: once more, then it is a failure.
            for _ in 0..<2 {
                let file = try FileDescriptor(opening: path, flags)
                let status = try FileStatus(of: file)
                try check(status, path)
                try before?(.readPayload)
                if let bytes = try file.contents(expecting: status.size) { return Payload(bytes: bytes, status: status) }
            }
        } catch let failure as SystemFailure {
            if failure.isMissing { return nil }
            throw SourceError.cannot("read", path, opening: failure)
        }
        throw SourceError.cannot("read", path, because: "it changes while it is read")
    }

    /// Opens the payload at `path` and closes it. Throws when it cannot be read, or is missing.
    func open(_ path: String) throws {
        try check(FileStatus(of: FileDescriptor(opening: path, flags)), path)
    }

    private func check(_ status: FileStatus, _ path: String) throws {
        if let problem = status.kind.problem { throw SourceError.cannot("read", path, because: problem) }
        guard status.size <= maxSize.bytes else {
            throw SourceError("\(path) has \(status.size) bytes, more than max_size (\(maxSize.written ?? ""))", kind: .invalid)
        }
    }
}

/// Reads sidecars.
struct SidecarReader: Sendable {
    var before: FileStepHook?

    /// The sidecar of the payload at `path`; nil if there is none, or none that makes sense.
    ///
    /// Fails when that cannot be known: a copy without its metadata could outlive its origin's limit.
    func read(besidePayload path: String) throws -> Sidecar? {
        let sidecar = Folder.parent(of: path) + "/" + FileLayout.sidecarName(of: Folder.name(of: path))
        do {
            try before?(.readSidecar)
            let file = try FileDescriptor(opening: sidecar, O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
            let status = try FileStatus(of: file)
            guard status.kind == .regular, status.size <= Sidecar.longestText else { return nil }
            // Sidecars are only replaced whole: one that changes its length is none of ours.
            return try file.contents(expecting: status.size).flatMap { Sidecar(text: $0) }
        } catch {
            if error.isMissing { return nil }
            throw SourceError.cannot("read", sidecar, opening: error)
        }
    }
}

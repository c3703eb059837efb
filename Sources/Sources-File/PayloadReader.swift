internal import PipelineConfig

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif
internal import Pipeline

/// Reads whole payload files.
struct PayloadReader: Sendable {
    /// The bytes of a file and what the file system says about it.
    struct Payload {
        let bytes: [UInt8]
        let status: FileStatus
    }

    let maxSize: Size
    /// Whether a symbolic link at the path of a payload is followed. In a cache, another user might have put it there.
    var followsLinks = false
    var before: FileStepHook?

    // A FIFO without a writer would block.
    private var flags: Int32 { O_RDONLY | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW) }

    /// The payload at `path`, or nil when there is no such file.
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

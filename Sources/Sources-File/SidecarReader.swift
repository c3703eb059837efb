#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif
internal import Pipeline

/// Reads sidecars.
struct SidecarReader: Sendable {
    var before: FileStepHook?

    /// The sidecar of the payload at `path`; nil when there is none, or none that makes sense.
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

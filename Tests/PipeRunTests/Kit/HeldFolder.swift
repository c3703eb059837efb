import Foundation

/// The lock under which a file source changes a folder, held by the test: to the source, a disk that hangs. Free with the value.
final class HeldFolder {
    private let descriptor: Int32

    /// Makes the folder `name` where it is missing, and takes its lock.
    init(_ name: String, in folder: WorkFolder) throws {
        let url = folder.url.appending(path: name)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        descriptor = open(url.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw POSIXError(POSIXError.Code(rawValue: errno) ?? .EIO)
        }
    }

    deinit {
        close(descriptor)
    }
}

internal import Pipeline
#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// New names of files and folders are on the disk when their folder is.
extension DiskFile {
    /// Makes the folder, and those above it, where they are missing; returns when the disk has them, if asked.
    func makeFolder(onDisk: Bool) throws {
        let changed = onDisk ? changedByMakingFolders : []
        try makeFolder()
        for folder in changed { Self.flush(folder) }
    }

    /// Makes an empty file as ``make()`` does; returns when the disk has its name, if asked.
    func make(onDisk: Bool) throws {
        make()
        if onDisk { Self.flush(folder) }
    }

    /// The folders in which ``makeFolder()`` makes another one.
    private var changedByMakingFolders: [String] {
        var changed: [String] = []
        var folder = folder
        while access(folder, F_OK) != 0, DiskFile(path: folder).folder != folder {
            folder = DiskFile(path: folder).folder
            changed.append(folder)
        }
        return changed
    }

    /// Returns when the disk has what was made in a folder. A file system that cannot say so goes without.
    private static func flush(_ folder: String) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = fsync(descriptor)
        _ = close(descriptor)
    }
}

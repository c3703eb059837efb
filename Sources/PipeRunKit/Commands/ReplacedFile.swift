#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif
internal import PipelineYAML

/// A file whose text changes as a whole or not at all.
enum ReplacedFile {
    struct Problem: Error {
        /// In words: `it is read-only`.
        let reason: String

        fileprivate static var last: Problem { Problem(reason: NewFile.reason(errno)) }
    }

    /// Gives the file that was read as `file` the text `text`. Its mode stays; a link to it stays a link.
    static func replace(_ file: ConfigFile, with text: [UInt8]) throws(Problem) {
        let path = try target(of: file.name)
        var status = stat()
        guard stat(path, &status) == 0 else { throw .last }
        guard status.st_mode & S_IFMT == S_IFREG else { throw Problem(reason: "it is not a file") }
        // A folder may let its files be replaced that themselves are not to be written.
        guard status.st_mode & 0o222 != 0, access(path, W_OK) == 0 else { throw Problem(reason: "it is read-only") }
        let (descriptor, temporary) = try temporaryFile(nextTo: path)
        defer { close(descriptor) }
        do throws(Problem) {
            guard NewFile.write(text, to: descriptor) else { throw .last }
            // Only some may give a file away; the mode counts, and comes last because a new owner takes bits of it.
            _ = fchown(descriptor, status.st_uid, status.st_gid)
            guard fchmod(descriptor, status.st_mode & 0o7777) == 0, fsync(descriptor) == 0 else { throw .last }
            guard ConfigFile(path: path).text == file.text else { throw Problem(reason: "it has been changed in the meantime") }
            guard rename(temporary, path) == 0 else { throw .last }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// The path without links.
    private static func target(of path: String) throws(Problem) -> String {
        guard let resolved = realpath(path, nil) else { throw .last }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func temporaryFile(nextTo path: String) throws(Problem) -> (descriptor: Int32, path: String) {
        let folder = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
        for _ in 0..<100 {
            let temporary = "\(folder).pipe-run-\(String(UInt64.random(in: .min ... .max), radix: 16)).tmp"
            let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if descriptor >= 0 { return (descriptor, temporary) }
            guard errno == EEXIST else { throw .last }
        }
        throw .last
    }
}

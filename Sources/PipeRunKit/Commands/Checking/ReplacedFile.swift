internal import PipelineYAML

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// A file whose text changes at once or not at all.
enum ReplacedFile {
    struct Problem: Error {
        /// The reason in words: `it is read-only`.
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

/// A file that was not there before.
enum NewFile {
    enum Problem: Error {
        case exists
        /// The reason in words: `no such folder`.
        case failed(String)
    }

    /// Writes `text` to a new file at `path`; what stands there already stays as it is.
    static func write(_ text: String, to path: String) throws(Problem) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw errno == EEXIST ? .exists : .failed(reason(errno)) }
        defer { close(descriptor) }
        guard write(Array(text.utf8), to: descriptor) else {
            let reason = reason(errno)
            unlink(path)
            throw .failed(reason)
        }
    }

    /// Writes all of `bytes`; where that cannot be, `errno` says why.
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// The meaning of the error number `code`.
    static func reason(_ code: Int32) -> String {
        switch code {
        case ENOENT: "no such folder"
        case ENOTDIR: "a part of the path is not a folder"
        default: String(cString: strerror(code)).lowercased()
        }
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}

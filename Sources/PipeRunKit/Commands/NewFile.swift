#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// A file that was not there before.
enum NewFile {
    enum Problem: Error {
        case exists
        /// In words: `no such folder`.
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

    /// What the error number `code` means.
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

import Foundation
import Glibc

/// A folder of this run alone.
struct TemporaryFolder {
    let path: String

    init() throws {
        var template = Array("\(Environment["TMPDIR"] ?? "/tmp")/pipe-run-benchmarks-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("make a folder", errno) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Writes a file, and gives its path.
    func write(_ text: String, to name: String) throws -> String {
        let file = path + "/" + name
        let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemError("write \(file)", errno) }
        defer { close(descriptor) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw SystemError("write \(file)", errno) }
            rest = rest.dropFirst(count)
        }
        return file
    }

    /// Takes the folder away with all that is in it.
    func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }
}

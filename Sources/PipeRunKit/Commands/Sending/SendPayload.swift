private import Foundation
internal import Pipeline

/// The payload of a send: a file, or standard input unless a terminal is there.
enum SendPayload {
    /// The most bytes that are read: an outbox takes far less.
    private static let most = Size.mebibytes(256)

    /// The payload, empty for none. Exits with 64 for a file that cannot be read, and with 1 for one that is too large for any outbox.
    ///
    /// - Parameter isInputTaken: whether something else was read from standard input.
    static func read(_ file: String?, isInputTaken: Bool) throws -> [UInt8] {
        let payload: [UInt8]
        if let file, file != "-" {
            payload = try read(file)
        } else if isInputTaken || file == nil && StandardInput.isTerminal {
            payload = []
        } else {
            payload = try StandardInput.read(limit: most.bytes + 1)
        }
        guard payload.count <= most.bytes else {
            Console.say("the payload is larger than \(most.words)")
            throw ExitStatus.no
        }
        return payload
    }

    private static func read(_ path: String) throws -> [UInt8] {
        guard FileManager.default.fileExists(atPath: path) else {
            throw Usage.failure("the file `\(path)` in `--file` is missing", help: "its path is relative to the current folder")
        }
        guard ConfigPaths.isFile(path), let file = FileHandle(forReadingAtPath: path) else {
            throw Usage.failure("the file `\(path)` in `--file` cannot be read", help: nil)
        }
        defer { try? file.close() }
        var bytes: [UInt8] = []
        while bytes.count <= most.bytes, let chunk = try file.read(upToCount: 1 << 16), !chunk.isEmpty { bytes += chunk }
        return bytes
    }
}

private import Foundation

/// The process's standard input.
enum StandardInput {
    /// All of it; no more than `limit` bytes and those that came with the last of them, however much there is.
    static func read(limit: Int = .max) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < limit, let chunk = try FileHandle.standardInput.read(upToCount: 1 << 16), !chunk.isEmpty { bytes += chunk }
        return bytes
    }
}

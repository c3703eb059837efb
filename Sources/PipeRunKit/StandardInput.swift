private import Foundation

/// The process's standard input.
enum StandardInput {
    /// All of it.
    static func read() throws -> [UInt8] {
        try FileHandle.standardInput.readToEnd().map { Array($0) } ?? []
    }
}

import Foundation
import SourcesSQLite
import TestSupport

/// A folder of its own for one test, gone with this object.
final class TemporaryFolder: Sendable {
    let path: String
    /// What the folder lies on; nil for the machine's own disk.
    private let disk: SmallDisk?

    /// The whole of `disk`.
    init(on disk: SmallDisk) {
        path = disk.path
        self.disk = disk
    }

    init() throws {
        disk = nil
        path = NSTemporaryDirectory() + "pipe-run-sqlite-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { if disk == nil { try? FileManager.default.removeItem(atPath: path) } }

    func database(_ name: String = "cache.db") -> DatabasePath { DatabasePath(path + "/" + name) }

    /// Every file and folder below, sorted.
    func contents() throws -> [String] { try FileManager.default.subpathsOfDirectory(atPath: path).sorted() }

    func put(_ bytes: some Sequence<UInt8>, into name: String = "cache.db") throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path + "/" + name))
    }

    func bytes(of name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path + "/" + name))) }

    /// `text` without what is this folder's own.
    func short(_ text: String) -> String { text.replacingOccurrences(of: path, with: "…") }
}

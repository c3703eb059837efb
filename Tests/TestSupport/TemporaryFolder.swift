import Foundation

/// A folder of its own for one test, gone with this object.
package final class TemporaryFolder: Sendable {
    package let path: String
    /// What the folder lies on; nil for the machine's own disk.
    private let disk: SmallDisk?

    /// The whole of `disk`.
    package init(on disk: SmallDisk) {
        path = disk.path
        self.disk = disk
    }

    package init() throws {
        disk = nil
        path = NSTemporaryDirectory() + "pipe-run-tests-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        if disk == nil, (try? FileManager.default.removeItem(atPath: path)) == nil { removeLongPaths() }
    }

    /// Foundation does not remove what lies deeper than the system's longest path.
    private func removeLongPaths() {
        _ = try? ChildProcess.run(["rm", "-rf", path])
    }

    /// Every file and folder below, sorted; folders end in `/`.
    package func contents() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: path).map { name in
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: path + "/" + name, isDirectory: &isFolder)
            return isFolder.boolValue ? name + "/" : name
        }.sorted()
    }

    package func bytes(of name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)))
    }

    /// The text of a file; empty where there is none.
    package func text(of name: String) -> String { (try? String(contentsOfFile: path + "/" + name, encoding: .utf8)) ?? "" }

    package func put(_ bytes: some Sequence<UInt8>, into name: String) throws {
        let url = URL(fileURLWithPath: path + "/" + name)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
    }

    package func put(_ text: String, into name: String) throws { try put(text.utf8, into: name) }

    /// `text` without what is this folder's own.
    package func short(_ text: String) -> String { text.replacingOccurrences(of: path, with: "…") }
}

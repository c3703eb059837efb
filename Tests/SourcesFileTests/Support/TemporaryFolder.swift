import Foundation
import TestSupport

@testable import Pipeline

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

    /// The path template `text` in this folder.
    func template(_ text: String) -> PathTemplate { .text(path + "/" + text) }

    /// Every file and folder below, sorted; folders end in `/`.
    func contents() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: path).map { name in
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: path + "/" + name, isDirectory: &isFolder)
            return isFolder.boolValue ? name + "/" : name
        }.sorted()
    }

    /// The files below that are neither sidecars nor temporary.
    func payloads() throws -> [String] {
        try contents().filter { !$0.hasSuffix("/") && !($0.split(separator: "/").last ?? "").hasPrefix(".") }
    }

    func bytes(of name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)))
    }

    func put(_ bytes: some Sequence<UInt8>, into name: String) throws {
        let url = URL(fileURLWithPath: path + "/" + name)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
    }

    func put(_ text: String, into name: String) throws { try put(text.utf8, into: name) }
}

extension PathTemplate {
    /// The template that a configuration file would read from `text`.
    static func text(_ text: String, base: String = "") -> PathTemplate {
        PathTemplate(template: Template(InterpolatedText(pieces: [.literal(text, offset: 0)])), base: base)
    }
}

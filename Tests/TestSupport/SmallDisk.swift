import Foundation

/// A small file system in memory, mounted for one test.
package final class SmallDisk: Sendable {
    /// Where it is mounted; gone with this object.
    package let path: String

    /// Whether this machine lets the tests mount one.
    package static let isAvailable = (try? SmallDisk(size: "64k")) != nil

    /// `size` as `mount` takes it.
    package init(size: String) throws {
        path = NSTemporaryDirectory() + "pipe-run-disk-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        do {
            try Self.run("mount", "-t", "tmpfs", "-o", "size=\(size)", "tmpfs", path)
        } catch {
            try? FileManager.default.removeItem(atPath: path)
            throw error
        }
    }

    deinit {
        try? Self.run("umount", path)
        try? FileManager.default.removeItem(atPath: path)
    }

    package func makeReadOnly() throws {
        try Self.run("mount", "-o", "remount,ro", path)
    }

    private struct Failure: Error {}

    private static func run(_ arguments: String...) throws {
        guard try ChildProcess.run(arguments) == 0 else { throw Failure() }
    }
}

import Foundation

/// A small file system in memory, mounted for one test.
final class SmallDisk: Sendable {
    let folder: TemporaryFolder

    /// Whether this machine lets the tests mount one.
    static let isAvailable = (try? SmallDisk()) != nil

    /// `size` as `mount` takes it.
    init(size: String = "256k") throws {
        folder = try TemporaryFolder()
        try Self.run("mount", "-t", "tmpfs", "-o", "size=\(size)", "tmpfs", folder.path)
    }

    deinit {
        try? Self.run("umount", folder.path)
    }

    func makeReadOnly() throws {
        try Self.run("mount", "-o", "remount,ro", folder.path)
    }

    private struct Failure: Error {}

    private static func run(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure() }
    }
}

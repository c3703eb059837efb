import Foundation

/// The built `pipe-run`.
enum Executable {
    /// Next to the test bundle, wherever that was built; else in the package's build folder.
    static let url: URL = {
        let beside = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "pipe-run")
        let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../.build/debug/pipe-run").standardized
        let bundles = Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent().appending(path: "pipe-run") }
        return ([beside] + bundles + [package]).first { FileManager.default.isExecutableFile(atPath: $0.path) } ?? package
    }()
}

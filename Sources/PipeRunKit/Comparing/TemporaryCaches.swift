internal import PipelineConfig
private import Foundation

/// Where the caches of one comparison keep their copies, apart from all others.
struct TemporaryCaches: Sendable {
    /// Made by the first cache that writes a file.
    let folder: String
    /// Stands before the keys of each cache that is a part of a server.
    let prefix: String

    init() {
        let name = "pipe-run-compare-\(UUID().uuidString.lowercased())"
        folder = FileManager.default.temporaryDirectory.appending(path: name).path
        prefix = "\(name):"
    }

    /// The place of the source with this number for the variant with this number.
    func place(ofSource source: Int, variant: Int) -> CachePlace {
        CachePlace(folder: "\(folder)/\(variant)/\(source)", prefix: "\(prefix)\(variant):\(source):")
    }

    /// Removes all files. Gives why that failed.
    func remove() -> String? {
        guard FileManager.default.fileExists(atPath: folder) else { return nil }
        do {
            try FileManager.default.removeItem(atPath: folder)
            return nil
        } catch {
            return "the temporary folder `\(folder)` is left behind: \(error.localizedDescription)"
        }
    }
}

internal import PipelineConfig
internal import PipelineReports
private import Foundation

/// The places where the caches of one run keep their copies, apart from all others.
struct TemporaryCaches: Sendable {
    /// The folder of the caches, made by the first cache that writes a file.
    let folder: String
    /// Stands before the keys of each cache that is a part of a server.
    let prefix: String
    /// The databases that caches begin with a copy of, by the names of their sources.
    var databases: [String: String] = [:]

    /// - Parameter command: what they are for, in the name of the folder.
    init(of command: String) {
        let name = "pipe-run-\(command)-\(UUID().uuidString.lowercased())"
        folder = FileManager.default.temporaryDirectory.appending(path: name).path
        prefix = "\(name):"
    }

    /// The places of the caches for the variant with this number.
    func places(variant: Int = 0) -> SourceSwaps.Placing { { try self.place(ofSource: $0, variant: variant) } }

    /// The place of the cache of this name. Throws where it cannot begin with its database.
    private func place(ofSource source: String, variant: Int) throws -> CachePlace {
        let name = "\(variant)/\(String(Fingerprints.hash([source]), radix: 16))"
        let place = "\(folder)/\(name)"
        if let database = databases[source] { try copy(database, to: place, as: CachePlace.file, of: source) }
        return CachePlace(folder: place, prefix: prefix + name.replacing("/", with: ":") + ":")
    }

    /// Copies the database with its log, once.
    private func copy(_ database: String, to place: String, as name: String, of source: String) throws {
        let files = FileManager.default
        guard !files.fileExists(atPath: "\(place)/\(name)") else { return }
        do {
            try files.createDirectory(atPath: place, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            for ending in ["-wal", ""] where ending.isEmpty || files.fileExists(atPath: database + ending) {
                try files.copyItem(atPath: database + ending, toPath: "\(place)/\(name)\(ending)")
            }
        } catch {
            throw SwapError(message: "`\(source)` cannot begin with a copy of `\(database)`: \(error.localizedDescription)", help: nil)
        }
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

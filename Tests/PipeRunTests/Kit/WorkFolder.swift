import Foundation

/// A temporary folder in which `pipe-run` works. Removed with the value.
final class WorkFolder: Sendable {
    let url: URL

    init(_ config: String? = nil) throws {
        url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().appending(path: "pipe-run-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        if let config { try write("pipeline.yaml", config) }
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func write(_ name: String, _ text: String) throws {
        try write(name, Array(text.utf8))
    }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        let file = url.appending(path: name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
    }

    /// The text of a file, nil when there is none.
    func read(_ name: String) -> String? {
        try? String(contentsOf: url.appending(path: name), encoding: .utf8)
    }

    /// Runs `pipe-run` here to its end.
    func run(_ arguments: String..., environment: [String: String] = [:], input: [UInt8] = []) async throws -> Ran {
        try await start(arguments, environment: environment, input: input).ran()
    }

    /// Starts `pipe-run` here.
    func start(
        _ arguments: [String], environment: [String: String] = [:], input: [UInt8] = [],
        output: PipeRunProcess.Destination = .collected, under observer: [String] = []
    ) throws -> PipeRunProcess {
        try PipeRunProcess(arguments, in: self, environment: environment, input: input, output: output, under: observer)
    }

    /// Runs `body` with `pipe-run serve` on a free port, and ends the server unless `body` has done so.
    @discardableResult
    func serving(
        _ config: String = "pipeline.yaml", _ arguments: String..., environment: [String: String] = [:], under observer: [String] = [],
        _ body: (Serving) async throws -> Void
    ) async throws -> Ran {
        try await Serving.run(
            start(["serve", "--port", "0", "-c", config] + arguments, environment: environment, under: observer), body)
    }

    /// What the folder holds: every path with its size, its content and its time.
    func contents() throws -> [String: String] {
        var contents: [String: String] = [:]
        for path in FileManager.default.enumerator(atPath: url.path)?.compactMap({ $0 as? String }) ?? [] {
            let attributes = try FileManager.default.attributesOfItem(atPath: url.appending(path: path).path)
            let bytes = try? Data(contentsOf: url.appending(path: path))
            contents[path] = "\(attributes[.modificationDate] ?? "") \(bytes?.hashValue ?? 0) \(attributes[.size] ?? "")"
        }
        return contents
    }

    /// The paths of the files below `folder`, without the hidden ones that belong to the caches.
    func files(below folder: String) -> [String] {
        (FileManager.default.enumerator(atPath: url.appending(path: folder).path)?.compactMap { $0 as? String } ?? []).sorted()
    }
}

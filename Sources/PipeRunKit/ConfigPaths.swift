private import Foundation
internal import PipelineYAML

/// The configurations that a path stands for.
enum ConfigPaths {
    /// The file at `path`; those below it when it is a folder; standard input for `-`.
    static func files(at path: String) throws -> [ConfigFile] {
        if path == "-" { return [ConfigFile(text: try StandardInput.read(), name: "<stdin>")] }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
            return [ConfigFile(path: path)]
        }
        let names = (FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []).sorted().filter { name in
            (name.hasSuffix(".yaml") || name.hasSuffix(".yml")) && !name.split(separator: "/").contains { $0.hasPrefix(".") }
        }
        // A folder without configurations is most likely a mistake: say that it cannot be read as one.
        guard !names.isEmpty else { return [ConfigFile(path: path)] }
        return names.map { ConfigFile(path: path.hasSuffix("/") ? path + $0 : path + "/" + $0) }
    }
}

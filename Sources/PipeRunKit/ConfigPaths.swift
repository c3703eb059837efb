private import Foundation
internal import Pipeline
internal import PipelineYAML

/// The configurations that a path stands for.
enum ConfigPaths {
    /// The file at `path`; those below it when it is a folder, none when it holds none; standard input for `-`.
    static func files(at path: String) throws -> [ConfigFile] {
        if path == "-" { return [ConfigFile(text: try StandardInput.read(limit: ConfigLimits().bytes + 1), name: "<stdin>")] }
        guard isFolder(path) else { return [ConfigFile(path: path)] }
        let root = path.hasSuffix("/") ? path : path + "/"
        // A link to a folder is that folder; links below it are not followed.
        let folder = URL(filePath: root).resolvingSymlinksInPath().path
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return names.sorted().filter(isConfiguration).map { root + $0 }.filter { !isFolder($0) }.map { ConfigFile(path: $0) }
    }

    private static func isConfiguration(_ name: String) -> Bool {
        (name.hasSuffix(".yaml") || name.hasSuffix(".yml")) && !name.split(separator: "/").contains { $0.hasPrefix(".") }
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }
}

private import Foundation
internal import PipelineConfig
internal import PipelineYAML

/// The configurations that a path stands for.
enum ConfigPaths {
    /// A path, and the files that it stands for and none before it.
    struct Group {
        let path: String
        let files: [ConfigFile]
        /// Whether it is a folder without files of YAML.
        let isEmpty: Bool
        /// Whether the files were found in a folder, and none is named itself.
        let isFolder: Bool
    }

    /// The files at `paths`, each once, also where several paths lead to it.
    ///
    /// - Parameter followingLinks: whether a link to a file is that file. It is one of its own to those that read it: its relative paths
    ///   start elsewhere.
    static func groups(at paths: [String], followingLinks: Bool = false) throws -> [Group] {
        var seen: Set<String> = []
        return try paths.compactMap { path in
            let isNew = path != "-" || seen.insert(path).inserted
            let files = isNew ? try files(at: path) : []
            let new = files.filter { path == "-" || seen.insert(absolute($0.name, followingLink: followingLinks)).inserted }
            let isEmpty = isNew && files.isEmpty
            return new.isEmpty && !isEmpty
                ? nil : Group(path: path, files: new, isEmpty: isEmpty, isFolder: path != "-" && isFolder(path))
        }
    }

    /// The same for each spelling of a path. Links to folders on the way are followed.
    static func absolute(_ path: String, followingLink: Bool = false) -> String {
        let url = URL(filePath: path).standardizedFileURL
        if followingLink { return url.resolvingSymlinksInPath().path }
        return url.deletingLastPathComponent().resolvingSymlinksInPath().path + "/" + url.lastPathComponent
    }

    /// The file at `path`; standard input for `-`.
    static func file(at path: String) throws -> ConfigFile {
        guard path == "-" else {
            return ConfigFile(path: path, namedBy: path == ConfigOptions.namedByVariable ? ConfigOptions.variable : nil)
        }
        return ConfigFile(text: try StandardInput.read(limit: ConfigLimits().bytes + 1), name: "<stdin>")
    }

    /// The file at `path`; those below it when it is a folder, none when it holds none; standard input for `-`.
    private static func files(at path: String) throws -> [ConfigFile] {
        guard path != "-", isFolder(path) else { return [try file(at: path)] }
        let root = path.hasSuffix("/") ? path : path + "/"
        // A link to a folder is that folder; links below it are not followed.
        let folder = URL(filePath: root).resolvingSymlinksInPath().path
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return names.sorted().filter(isConfiguration).map { root + $0 }.filter { !isFolder($0) }.map { ConfigFile(path: $0) }
    }

    private static func isConfiguration(_ name: String) -> Bool {
        (name.hasSuffix(".yaml") || name.hasSuffix(".yml")) && !name.split(separator: "/").contains { $0.hasPrefix(".") }
    }

    /// Whether there is a file at `path`.
    static func isFile(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) && !isFolder(path) }

    /// Whether there is anything at `path`.
    static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }
}

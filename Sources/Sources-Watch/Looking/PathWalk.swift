/// A place that is watched on the way to a file.
enum WatchedPlace: Hashable, Sendable {
    /// The entry of the folder under this name.
    case entry(String, in: String)
    /// A file itself: its other names may be used to write it.
    case file(String)

    /// The path of what the system watches.
    var path: String {
        switch self {
        case .entry(_, let folder): folder
        case .file(let path): path
        }
    }
}

/// Follows a path one name at a time, through symbolic links, as the system does.
enum PathWalk {
    /// The most links, as many as Linux follows.
    private static let mostLinks = 40

    /// The path of the regular file that `path` leads to, without links; nil if it leads to none.
    ///
    /// - Parameter visit: called with each place before it is looked at. What has to change for a missing file to come is among them.
    static func file(at path: String, _ visit: (WatchedPlace) -> Void) -> String? {
        var folder = path.utf8.first == UInt8(ascii: "/") ? "/" : FileSystem.workingFolder
        var rest = names(in: path)
        var links = 0
        while let name = rest.popLast() {
            if name == "." { continue }
            if name == ".." {
                folder = parent(of: folder)
                continue
            }
            visit(.entry(name, in: folder))
            let entry = folder == "/" ? "/" + name : folder + "/" + name
            switch FileSystem.kind(of: entry) {
            case .folder: folder = entry
            case .link(let target):
                links += 1
                guard links <= mostLinks else { return nil }
                if target.utf8.first == UInt8(ascii: "/") { folder = "/" }
                rest += names(in: target)
            case .regular:
                guard rest.isEmpty else { return nil }
                visit(.file(entry))
                return entry
            case .other: return nil
            }
        }
        return nil
    }

    /// The names of a path, the first one last.
    private static func names(in path: String) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).reversed().map { String(Substring($0)) }
    }

    private static func parent(of folder: String) -> String {
        guard let slash = folder.utf8.lastIndex(of: UInt8(ascii: "/")), slash != folder.startIndex else { return "/" }
        return String(folder[..<slash])
    }
}

internal import Pipeline

/// Goes through the folders that can hold payloads of a layout, and no symbolic links.
struct FolderWalk {
    /// A folder on the way.
    struct Stop {
        let folder: Folder
        /// The path before its names in the path of a payload.
        let prefix: String
        /// The names in it besides folders.
        let files: [String]
    }

    /// Returns whether the folder should be removed if it is empty.
    typealias Visit = (Stop) throws -> Bool

    private let layout: FileLayout
    private let visit: Visit
    private var problem: (any Error)?

    /// Calls `visit` for each folder, those inside it first; where that returns true, an empty folder is removed (never the root).
    ///
    /// A folder that cannot be read does not keep the others from being visited; then the first failure is thrown at the end.
    static func forEachFolder(of layout: FileLayout, _ visit: Visit) throws {
        guard let root = try root(of: layout) else { return }
        try withoutActuallyEscaping(visit) { visit in
            var walk = FolderWalk(layout: layout, visit: visit)
            _ = walk.walk(root, relative: "", depth: 0)
            if let problem = walk.problem { throw problem }
        }
    }

    private init(layout: FileLayout, visit: @escaping Visit) {
        self.layout = layout
        self.visit = visit
    }

    private static func root(of layout: FileLayout) throws -> Folder? {
        do {
            return try Folder(layout.root)
        } catch {
            if error.isMissing { return nil }
            throw SourceError.cannot("read", layout.root, error)
        }
    }

    private mutating func walk(_ folder: Folder, relative: String, depth: Int) -> Bool {
        guard let listing = list(folder) else { return false }
        var isPruned = false
        for name in listing.folders where depth < layout.deepest && layout.mayHoldPayloads(name, depth: depth + 1) {
            guard let inner = try? Folder(name, in: folder) else { continue }
            if walk(inner, relative: relative + name + "/", depth: depth + 1) {
                isPruned = folder.removeFolderIfEmpty(name) || isPruned
            }
        }
        do {
            let stop = Stop(folder: folder, prefix: layout.path(below: relative), files: listing.files)
            return try visit(stop) || isPruned
        } catch {
            problem = problem ?? error
            return false
        }
    }

    private mutating func list(_ folder: Folder) -> FolderListing? {
        do {
            return try FolderListing(of: folder)
        } catch {
            problem = problem ?? SourceError.cannot("read", folder.path, error)
            return nil
        }
    }
}

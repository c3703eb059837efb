internal import Pipeline
internal import PipelineConfig

/// The places of the files of a source: the payload of each key, its sidecar, and the folders to look through for them.
struct FileLayout: Sendable {
    /// The longest file name that common file systems take, in bytes.
    private static let longestName = 255
    /// The longest path of a payload, in bytes. Longer ones would nest their folders without end.
    private static let longestPath = 12_000

    let template: PathTemplate
    /// The folder that every file lies in.
    let root: String
    /// The beginning of a path before the names below ``root``.
    private let prefix: String
    /// The number of folders below ``root`` that the text of the template names.
    let namedFolders: Int

    init(_ template: PathTemplate) {
        self.template = template
        root = template.folder
        // Empty values are never laid out over several folders, so that every `/` in it is the template's own.
        let shortest = template.filled(for: Key(pipeline: "", parameters: []))
        if root == ".", !shortest.utf8.starts(with: "./".utf8) {
            prefix = ""
        } else {
            prefix = root == "/" ? root : root + "/"
        }
        namedFolders = shortest.utf8.dropFirst(prefix.utf8.count).count { $0 == UInt8(ascii: "/") }
    }

    /// The payload file of `key`.
    func path(for key: Key) throws -> String {
        let path = template.filled(for: key)
        // The system would take what stands before it for the whole path.
        guard !path.utf8.contains(0) else { throw SourceError("cannot use a path with a NUL in it") }
        guard path.utf8.count <= Self.longestPath else {
            throw SourceError.cannot("use", path, because: "the path has more than \(Self.longestPath) bytes")
        }
        return path
    }

    /// The path of the file that lies at `name` below ``root``.
    func path(below name: String) -> String { prefix + name }

    /// The greatest number of folders below ``root`` that a payload can lie in: a part of a long value takes 200 bytes, but for the first.
    var deepest: Int { namedFolders + Self.longestPath / 100 }

    /// The name of the sidecar next to the payload `name`.
    static func sidecarName(of name: String) -> String {
        let sidecar = ".\(name).meta"
        guard sidecar.utf8.count > longestName else { return sidecar }
        return ".\(String(Checksum.fnv1a(name.utf8), radix: 16)).meta"
    }

    /// The payload's name in a sidecar's name, unless the name is no sidecar's.
    static func payloadName(ofSidecar name: String) -> String? {
        guard name.utf8.first == UInt8(ascii: "."), name.hasSuffix(".meta"), name.utf8.count > 6 else { return nil }
        return String(name.dropFirst().dropLast(5))
    }

    /// Indicates whether a payload could be in the folder `name`, `depth` folders below ``root``.
    ///
    /// A name that ends in `%` is a part of a long value and can come at any depth.
    func mayHoldPayloads(_ name: String, depth: Int) -> Bool {
        name.utf8.last == UInt8(ascii: "%") || depth <= namedFolders
    }
}

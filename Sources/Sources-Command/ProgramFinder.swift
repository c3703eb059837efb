#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif
internal import Pipeline

/// Finds the file of a program, as a shell would: a name in `PATH`, a path from the folder that it runs in.
struct ProgramFinder {
    private enum Finding {
        case program
        case nothing
        case unusable(String)
    }

    private let searched: [Substring]
    /// The folder that programs run in, as an absolute path.
    let folder: String

    /// - Parameter variables: the variables of the program; the last `PATH` among them counts.
    init(_ variables: [(name: String, value: String)], folder: String) throws {
        let path = variables.last { $0.name == "PATH" }?.value ?? "/usr/local/bin:/usr/bin:/bin"
        // A relative folder would let anyone who can write to the working directory choose the program.
        searched = path.split(separator: ":").filter { $0.hasPrefix("/") }
        self.folder = folder.hasPrefix("/") ? folder : try Self.workingDirectory() + (folder.isEmpty ? "" : "/" + folder)
    }

    /// The absolute path of `program`.
    func find(_ program: String) throws -> String {
        guard program.utf8.contains(UInt8(ascii: "/")) else {
            var reason = "no such program in PATH"
            for place in searched {
                let path = "\(place)/\(program)"
                switch Self.look(at: path) {
                case .program: return path
                case .nothing: continue
                case .unusable(let problem): reason = "\(path): \(problem)"
                }
            }
            throw SourceError("cannot run \(program): \(reason)", help: "install it, or write its whole path in `command`")
        }
        let path = program.hasPrefix("/") ? program : "\(folder)/\(program)"
        switch Self.look(at: path) {
        case .program: return path
        case .nothing: throw SourceError("cannot run \(program): no such file", help: "correct the path of the program in `command`")
        case .unusable(let problem):
            throw SourceError("cannot run \(program): \(problem)", help: "name a program in `command` that this user may run")
        }
    }

    private static func look(at path: String) -> Finding {
        var status = stat()
        guard stat(path, &status) == 0 else {
            return errno == EACCES ? .unusable("permission denied") : .nothing
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            return .unusable(status.st_mode & S_IFMT == S_IFDIR ? "it is a folder" : "it is not a regular file")
        }
        return access(path, X_OK) == 0 ? .program : .unusable("it is not executable")
    }

    private static func workingDirectory() throws -> String {
        guard let path = getcwd(nil, 0) else { throw SourceError("the working directory is gone") }
        defer { free(path) }
        return String(cString: path)
    }
}

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif
internal import Pipeline
internal import PipelineYAML

/// A configuration that can be read between two strokes of a key.
struct CompletedFile {
    let config: ConfigFile

    /// More than people write by hand.
    private static let mostBytes = 1 << 20

    /// The file at `path`; nil when it is none: a pipe or a terminal would keep the shell waiting.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.mostBytes else { return nil }
        config = ConfigFile(path: path)
    }
}

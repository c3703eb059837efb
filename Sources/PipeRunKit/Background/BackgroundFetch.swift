internal import PipelineConfig

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif
internal import ArgumentParser
internal import Pipeline

/// A fetch in a process of its own, to which a one-shot `fetch` leaves what runs in the background: so its caller does not wait for a
/// refresh that is for the next one.
///
/// The process does the same fetch again, and waits: it finds the copy that needs a refresh, or one that is fresh by now, and then has
/// nothing to do.
struct BackgroundFetch: Sendable {
    /// The command of that process. It stands in no help: its standard input comes from ``start()``.
    static let word = "fetch-in-background"

    let key: Key
    /// The specifications of the pipeline and of all that its value may be made from.
    let specs: [PipelineSpec]
    /// The path of the configuration.
    let config: String
    let order: String?
    let policy: FetchPolicy
    var follow: [String] = []
    /// The options for sources that others take the place of.
    var swaps: [String] = []

    /// Starts the process, unless one does this fetch already. False when it cannot be started: then the work is this process's own. So it
    /// is with a configuration that cannot be read a second time, from standard input, a pipe or a descriptor.
    func start() -> Bool {
        guard let path = Self.readableAgain(config), !words.contains(where: { $0.utf8.contains(0) }) else { return false }
        switch KeyLock.take([path, key.text, policy.rawValue, order ?? ""] + following + swaps) {
        case .busy: return true
        case .impossible: return false
        case .taken(let lock):
            let input = (["\(longest)", lock.path] + words).joined(separator: "\0")
            guard DetachedProcess.start(Self.word, input: Array(input.utf8), lock: lock) else {
                lock.release()
                return false
            }
            return true
        }
    }

    /// The arguments that follow `fetch`.
    private var words: [String] {
        ["--wait", "--config", config, "--policy", policy.rawValue] + (order.map { ["--order", $0] } ?? []) + following + swaps
            + ["--", key.pipeline] + key.parameters.map { "\($0.name)=\($0.value)" }
    }

    private var following: [String] { follow.flatMap { ["--follow", $0] } }

    /// The number of seconds after which the process is ended, even if it hangs: enough for the fetch, its refresh, and what is written.
    private var longest: Int64 {
        let limit = specs.flatMap(\.tiers).map(\.policy.timeLimit).reduce(.zero, +) * 2 + .seconds(60)
        return min(limit.components.seconds, Int64(Int32.max))
    }

    /// Does in the new process what ``start()`` asked for.
    static func perform() async throws {
        let words = try StandardInput.read().split(separator: 0, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard words.count > 2, let seconds = UInt32(words[0]) else {
            throw Usage.failure("`\(word)` is started by `fetch`", help: "`pipe-run fetch --wait` waits for a refresh in the background")
        }
        alarm(seconds)
        Console.giveUpInput()
        defer { KeyLock(descriptor: DetachedProcess.lockDescriptor, path: words[1]).release() }
        try await (FetchCommand.parseAsRoot(Array(words[2...])) as? FetchCommand)?.perform()
    }

    /// The absolute path of the file at `path`, if it is one that another process finds there, too.
    private static func readableAgain(_ path: String) -> String? {
        var status = stat()
        guard path != "-", stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, let resolved = realpath(path, nil) else {
            return nil
        }
        defer { free(resolved) }
        // `/dev/fd/3` is another file there, or none.
        return ["/dev/", "/proc/"].contains { path.hasPrefix($0) } ? nil : String(cString: resolved)
    }
}

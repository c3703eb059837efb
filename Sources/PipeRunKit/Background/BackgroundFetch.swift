internal import ArgumentParser
internal import Pipeline
internal import PipelineConfig

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
        guard let path = DetachedCall.readableAgain(config) else { return false }
        return DetachedCall.start(
            Self.word, words, for: longest, lockedBy: [path, key.text, policy.rawValue, order ?? ""] + following + swaps)
    }

    /// The arguments that follow `fetch`.
    private var words: [String] {
        ["--wait", "--config", config, "--policy", policy.rawValue] + (order.map { ["--order", $0] } ?? []) + following + swaps
            + ["--", key.pipeline] + key.parameters.map { "\($0.name)=\($0.value)" }
    }

    private var following: [String] { follow.flatMap { ["--follow", $0] } }

    /// The number of seconds after which the process is ended, even if it hangs: enough for the fetch, its refresh, and what is written.
    private var longest: Int64 {
        (specs.flatMap(\.tiers).map(\.policy.timeLimit).reduce(.zero, +) * 2 + .seconds(60)).components.seconds
    }

    /// Does in the new process what ``start()`` asked for.
    static func perform() async throws {
        guard let call = try DetachedCall.read() else {
            throw Usage.failure("`\(word)` is started by `fetch`", help: "`pipe-run fetch --wait` waits for a refresh in the background")
        }
        defer { call.lock.release() }
        try await (FetchCommand.parseAsRoot(call.words) as? FetchCommand)?.perform()
    }
}

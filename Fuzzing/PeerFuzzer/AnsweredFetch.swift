private import Glibc
internal import Pipeline
internal import PipelineTesting
internal import PipelineConfig
internal import PipelineYAML
internal import SourcesHTTP
internal import SourcesMemory
private import Synchronization

/// Fetches from a server that answers with any bytes.
///
/// Whatever it answers, each fetch ends with a value within its limits, with `not_found` or with a failure of its tier: nothing waits for what
/// does not come, and no connection is left. Time stands still, so that no limit helps.
final class AnsweredFetch: Sendable {
    private static let maxSize = 64 << 10
    private static let one = AnsweredFetch()

    private let server: AnsweringServer
    private let pipelines: Pipelines
    private let time = ManualClock()
    private let runs = Mutex(0)

    private init() {
        server = AnsweringServer()
        let text = """
            sources:
              memory: { type: memory }
              get: { type: http, url: "http://127.0.0.1:\(server.port)/{n}", max_size: 64KiB }
              put: { type: http, url: "http://127.0.0.1:\(server.port)/{n}", max_size: 64KiB, method: PUT, body: "end" }
            pipelines:
              get: { parameters: [n], format: bytes, tiers: [{ source: memory, ttl: 1m }, get] }
              put: { parameters: [n], tiers: [put] }
            """
        let file = ConfigFile(text: Array(text.utf8), name: "heads.yaml", folder: ".")
        let report = file.report(plugins: [.http, .memory], environment: ConfigEnvironment([:]))
        do {
            pipelines = try Pipelines(report, clock: time.clock)
        } catch {
            fatalError("\(error)")
        }
    }

    /// The first byte says how is asked; the others are the answers, each to its request, with the byte 0x1E between them.
    static func check(_ bytes: [UInt8]) {
        let answers = bytes.dropFirst().split(separator: 0x1E, maxSplits: 2, omittingEmptySubsequences: false).map(Array.init)
        one.check(answers, pipeline: (bytes.first ?? 0) % 2 == 0 ? "get" : "put")
    }

    private func check(_ answers: [[UInt8]], pipeline name: String) {
        let answers = answers.isEmpty ? [[]] : answers
        let work = Work { [self] in
            for _ in answers { await fetch(from: name) }
            if let pipeline = try? pipelines.pipeline(named: name) { _ = try? await pipeline.clear() }
        }
        server.serve(answers, toRequestsEndingWith: Array((name == "get" ? "\r\n\r\n" : "\r\n\r\nend").utf8), until: work)
        work.wait()
        let count = runs.withLock { count in
            count += 1
            return count
        }
        if count % 512 == 0 { checkDescriptors() }
    }

    private func fetch(from name: String) async {
        do {
            let outcome = try await pipelines.pipeline(named: name).fetch(["n": "1"])
            if case .value(let entry) = outcome.result {
                require(entry.payload?.count ?? 0 <= Self.maxSize, "a payload of \(entry.payload?.count ?? 0) bytes")
            }
            for attempt in outcome.attempts {
                require(attempt.detail?.utf8.count ?? 0 <= 200 + "…".utf8.count, "a detail of \(attempt.detail?.utf8.count ?? 0) bytes")
                require(attempt.reason?.unicodeScalars.count ?? 0 <= 1_000, "a reason of \(attempt.reason?.utf8.count ?? 0) bytes")
            }
        } catch {
            fatalError("a fetch threw \(error)")
        }
        // The copy has expired for the next one, which asks whether it still holds.
        time.advance(by: .seconds(3_600))
    }

    /// Connections of inputs before may still be about to end.
    private func checkDescriptors() {
        let count = (0..<4_096).count { fcntl(CInt($0), F_GETFD) >= 0 }
        require(count < 300, "\(count) descriptors are open")
    }
}

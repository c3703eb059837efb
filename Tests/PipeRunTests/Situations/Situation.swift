import Foundation
import Testing

/// A situation, and what `explain` says of it: a test holds each sentence against what it saw, and none is left at the end.
struct Situation {
    let config: String
    /// The pipeline and its arguments.
    let fetch: [String]
    /// The tier of the origin.
    let origin: String
    /// The variables of the file, for an origin at this URL.
    let environment: @Sendable (_ url: String) -> [String: String]

    /// The sentences of `explain` that no check has covered yet.
    private(set) var rest: [String] = []

    init(
        _ config: String, fetch: [String], origin: String, environment: @escaping @Sendable (_ url: String) -> [String: String]
    ) async throws {
        (self.config, self.fetch, self.origin, self.environment) = (config, fetch, origin, environment)
        let ran = try await WorkFolder(config).run("explain", fetch[0], "--format", "json", environment: environment("http://127.0.0.1:1"))
        for section in try JSONValue(ran.output)["pipelines"]?.elements.first?["sections"]?.elements ?? [] {
            rest += section["sentences"]?.elements.compactMap { $0["text"]?.text } ?? []
        }
        #expect(!rest.isEmpty, "\(ran.everything)")
    }

    /// Holds a sentence against what was seen. It must be one of those that `explain` says.
    mutating func hold(_ sentence: String, _ isTrue: Bool, _ seen: Any = "", at location: SourceLocation = #_sourceLocation) {
        let isSaid = rest.contains(sentence)
        #expect(isSaid, "explain does not say: \(sentence)", sourceLocation: location)
        #expect(isTrue, "\(sentence) — but seen was \(seen)", sourceLocation: location)
        rest.removeAll { $0 == sentence }
    }

    /// The place where a sentence that nothing covers shows.
    func end(at location: SourceLocation = #_sourceLocation) {
        for sentence in rest { Issue.record("no check covers what explain says: \(sentence)", sourceLocation: location) }
    }

    /// Runs `body` in a folder of its own, with an origin that gives each request, numbered from 1, its reply.
    func stage<Seen>(
        _ reply: @escaping @Sendable (_ request: String, _ number: Int) -> OddServer.Reply, _ body: (Stage) async throws -> Seen
    ) async throws -> Seen {
        let folder = try WorkFolder(config)
        var seen: Seen?
        try await OddServer.run(reply) { seen = try await body(Stage(situation: self, folder: folder, origin: $0)) }
        return try #require(seen)
    }

    func stage<Seen>(_ reply: OddServer.Reply, _ body: (Stage) async throws -> Seen) async throws -> Seen {
        try await stage({ _, _ in reply }, body)
    }

    /// A folder in which a situation plays, and its origin.
    struct Stage {
        let situation: Situation
        let folder: WorkFolder
        let origin: OddServer

        /// The variables of the file; `STAGE` is another for each stage, where they share a server.
        func environment(_ changes: [String: String] = [:]) -> [String: String] {
            situation.environment(origin.url).merging(["STAGE": "\(folder.url.lastPathComponent):"]) { $1 }.merging(changes) { $1 }
        }

        /// The envelopes of a fetch in a process of its own.
        func fetches(_ options: String..., changing changes: [String: String] = [:]) async throws -> [Envelope] {
            let arguments = ["fetch"] + situation.fetch + ["--wait", "--output", "envelope"] + options
            return try Envelope.all(try await folder.start(arguments, environment: environment(changes)).ran())
        }

        /// The envelopes of such fetches, again and again until they are as expected.
        func fetches(
            until isExpected: ([Envelope]) -> Bool, _ options: String..., changing changes: [String: String] = [:]
        ) async throws -> [Envelope] {
            let arguments = ["fetch"] + situation.fetch + ["--wait", "--output", "envelope"] + options
            let limit = ContinuousClock.now + .seconds(patience)
            while true {
                let envelopes = try Envelope.all(try await folder.start(arguments, environment: environment(changes)).ran())
                if isExpected(envelopes) { return envelopes }
                guard ContinuousClock.now < limit else { throw TooLong(description: "no such fetches: \(envelopes)") }
            }
        }

        /// The envelope of a fetch in a process of its own.
        func fetch(_ options: String..., changing changes: [String: String] = [:]) async throws -> Envelope {
            let arguments = ["fetch"] + situation.fetch + ["--wait", "--output", "envelope"] + options
            return try Envelope(try await folder.start(arguments, environment: environment(changes)).ran())
        }

        /// Fetches again and again until an envelope is as expected.
        func fetch(until isExpected: (Envelope) -> Bool, changing changes: [String: String] = [:]) async throws -> Envelope {
            try #require(try await fetches(until: { $0.allSatisfy(isExpected) }, changing: changes).first)
        }

        /// Runs `body` with a server.
        func serving(changing changes: [String: String] = [:], _ body: (Serving) async throws -> Void) async throws {
            try await folder.serving(environment: environment(changes), body)
        }

        /// The path of the pipeline at a server.
        var target: String { "/\(situation.fetch[0])?" + situation.fetch.dropFirst().joined(separator: "&") }

        /// Lets the file of a cache be so old: what is known of it does not apply any more, and the time of the file counts.
        func setAge(of name: String, to seconds: TimeInterval) throws {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -seconds)], ofItemAtPath: folder.url.appending(path: name).path)
        }
    }
}

extension Envelope {
    /// What the tier of this source did: `hit`, `miss`, …; nil when it was not asked.
    subscript(source: String) -> String? { tiers.first { $0.source == source }?.outcome }

    /// What became of the write to this source; nil when there was none.
    func written(_ source: String) -> String? { writes.first { $0.source == source }?.outcome }

    func milliseconds(of source: String) -> Double { tiers.first { $0.source == source }?.ms ?? .nan }

    var order: [String] { tiers.map(\.source) }

    /// For how long the copy is fresh, all in all: its age and what is left, each of them rounded down.
    var life: Double { (age ?? .nan) + (freshFor ?? .nan) }
}

// What `explain` says of every pipeline.
extension Situation {
    /// A payload that is no JSON.
    mutating func holdFormat() async throws {
        let seen = try await stage(.value("<html>")) { try await $0.fetch() }
        hold(
            "A payload that is not JSON is invalid, and counts as a failure of the tier that gave it.",
            seen[origin] == "invalid" && seen.from != origin && seen.writes.allSatisfy { $0.outcome != "written" }, seen)
    }

    /// A response that no cache may keep, by its headers.
    mutating func holdHeaders() async throws {
        let response = "HTTP/1.1 200 OK\r\nCache-Control: no-store, max-age=0\r\nExpires: 0\r\nContent-Length: 3\r\n\r\n[1]"
        let seen = try await stage(.bytes(response)) { try await $0.fetch() }
        let isKept = !seen.writes.isEmpty && seen.writes.allSatisfy { ["written", "scheduled"].contains($0.outcome) }
        hold("No header of a response of `\(origin)` changes that: its `caching` is `none`.", seen.from == origin && isKept, seen)
    }

    /// Clients at one server that ask at the same time.
    ///
    /// - Parameter tries: how often a load asks the origin.
    mutating func holdSharing(tries: Int = 1) async throws {
        let asked = try await stage(.held(.value("[1]"))) { stage in
            var asked = 0
            try await stage.serving(changing: ["API_TIMEOUT": "1m"]) { server in
                let requests = try (0..<5).map { _ in try Request("GET", stage.target, port: server.port) }
                try await stage.origin.asked()
                // What was sent before is read by now.
                for _ in 0..<3 { _ = try await server.get("/-/health") }
                asked = stage.origin.count
                stage.origin.release()
                for request in requests { #expect(try await blocking { try request.answer().text } == "[1]") }
            }
            return asked
        }
        hold("Fetches of one key at the same time share one load.", (1...tries).contains(asked), asked)
        try await holdPace()
    }

    /// Fetches of many keys at the same time, at an origin with the limits that the situation leaves as they are.
    private mutating func holdPace() async throws {
        let config = """
            sources: { all: { type: http, url: "${ALL}/{id}" } }
            pipelines: { all: { parameters: [id], tiers: [all] } }
            """
        var asked = 0
        try await OddServer.run({ _, _ in .held(.value("[1]")) }) { server in
            try await WorkFolder(config).serving(environment: ["ALL": server.url]) { serving in
                let requests = try (0..<9).map { try Request("GET", "/all?id=\($0)", port: serving.port) }
                try await server.asked(6)
                for _ in 0..<3 { _ = try await serving.get("/-/health") }
                asked = server.count
                server.release()
                for request in requests { #expect(try await blocking { try request.answer().text } == "[1]") }
            }
        }
        hold(
            "`\(origin)` is asked by at most 6 requests at once at first (the limit adapts); up to 1000 wait.", asked == 6,
            asked)
    }

    /// Fetches whose answer a cache holds already, and caches that cannot be written.
    ///
    /// - Parameters:
    ///   - caches: those of the pipeline.
    ///   - break: what makes a cache fail; nil where none can.
    mutating func holdWriting(caches: [String], _ break: ((Stage) throws -> [String: String])?) async throws {
        let seen = try await stage(.value("[1]")) { try await $0.fetches("--repeat", "2", "--policy", "refresh") }
        let again = try #require(seen.last)
        hold(
            "A value that a cache holds already is not written again: it counts there from when it was confirmed.",
            caches.allSatisfy { ["renewed", "unchanged"].contains(again.written($0)) } && again.outcome == "value", again)
        guard let `break` else { return }
        let failed = try await stage(.value("[1]")) { stage in
            let changes = try `break`(stage)
            return try await stage.fetch(changing: changes)
        }
        hold(
            "A write that fails never fails the fetch.",
            failed.from == origin && failed.writes.contains { $0.outcome == "failed" }, failed)
    }
}

extension Situation {
    /// An origin that says nothing, for as long as its limit.
    ///
    /// - Parameters:
    ///   - limits: each tier with its limit in seconds, and the sentence about it.
    ///   - whole: the sentence about all, and the sum of the limits.
    mutating func holdTimes(
        atOnce: String?, limits: [(source: String, seconds: Double, sentence: String)], whole: String,
        changing changes: (Stage) -> [String: String] = { _ in [:] }
    ) async throws {
        let seen = try await stage(.silence) { try await $0.fetch(changing: changes($0)) }
        if let atOnce {
            hold(
                "`\(atOnce)` answers at once.",
                seen[atOnce] != "timeout" && !(seen.milliseconds(of: atOnce) > seen.milliseconds(of: origin)), seen)
        }
        for (source, seconds, sentence) in limits where seen[source] != nil {
            let isCut = seen[source] == "timeout" && seen.milliseconds(of: source) >= seconds * 1000
            // What answered was quicker than its limit.
            hold(sentence, isCut || (source != origin && seen.milliseconds(of: source) <= seconds * 1000), seen)
        }
        let sum = limits.map(\.seconds).reduce(0, +) * 1000
        let quick = limits.filter { $0.source != origin }.map { seen.milliseconds(of: $0.source) }.filter { !$0.isNaN }.reduce(0, +)
        hold(whole, seen.error?.code != "deadline_exceeded" && quick <= sum, seen)
    }

    /// An origin that says that there is no value, where that is the answer.
    ///
    /// - Parameter caches: those that have a copy before.
    mutating func holdAbsence(ends: String, removes: String?, caches: [String]) async throws {
        let (seen, asked) = try await stage(.status(404)) { stage in
            let first = try await stage.fetch()
            try await stage.serving { server in
                for _ in 0..<2 {
                    let answer = try await server.get(stage.target)
                    #expect(answer.status == 404)
                }
            }
            return (first, stage.origin.count)
        }
        hold(ends, seen.outcome == "not_found" && seen.order.last == origin && seen[origin] == "not_found", seen)
        hold("It is not remembered; the next fetch asks again.", asked == 3, asked)
        guard let removes else { return }
        let after = try await stage({ _, number in number == 1 ? .value("[1]") : .status(404) }) { stage in
            let first = try await stage.fetch()
            #expect(first.from == origin)
            let refreshed = try await stage.fetch("--policy", "refresh")
            #expect(refreshed.outcome == "not_found")
            return try await stage.fetch("--policy", "cache-only")
        }
        hold(removes, after.outcome == "not_found" && caches.allSatisfy { after[$0] == "miss" }, after)
    }
}

extension Situation {
    /// What a process answers from memory.
    ///
    /// - Parameters:
    ///   - seconds: the ttl of memory.
    ///   - longer: variables by which memory keeps copies for longer than the cache below; nil where there is none.
    mutating func holdMemory(_ sentence: String, seconds: Double, longer: (changes: [String: String], seconds: Double)? = nil) async throws
    {
        let own = try await stage(.value("[1]")) { stage in
            try await stage.fetches(until: { $0.last?["memory"] == "hit" }, "--repeat", "2").last
        }
        let isOwn = own.map { ($0.freshFor ?? .infinity) <= seconds * 1000 && $0.life >= seconds * 1000 - 2 } == true
        guard let longer else { return hold(sentence, isOwn, own as Any) }
        let cut = try await stage(.value("[1]")) { stage in
            _ = try await stage.fetch(changing: longer.changes)
            // Memory answers when the process has begun to listen, where it does.
            return try await stage.fetches(until: { $0.last?.from == "memory" }, "--repeat", "50", changing: longer.changes).last
        }
        hold(sentence, isOwn && cut?.from == "memory" && (cut?.freshFor ?? .infinity) < longer.seconds * 1000, (own, cut))
    }
}

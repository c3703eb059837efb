import Foundation
import Testing

/// What the files hold when a process ends while values wait to be written.
@Suite(.serialized) struct PendingWritesTests {
    private static let users = 1...8

    static func config(debounce: String, reads: Bool = true) -> String {
        """
        sources:
          disk: { type: file, path: ".cache/{key}.json" }
          api: { type: http, url: "${ORIGIN}", query: { user: "{user}" } }
        pipelines:
          friends:
            parameters: [user]
            tiers:
              - { source: disk, ttl: 10h, debounce: \(debounce), max_delay: 2h, read: \(reads) }
              - api
        """
    }

    /// A value that is large and shows where it is torn.
    private static func value(_ version: Int, of user: Int) -> String {
        "[" + Array(repeating: "\(user)00\(version)", count: 40_000).joined(separator: ",") + "]"
    }

    private static func user(of request: String) -> Int {
        request.firstMatch(of: /user=([0-9]+)/).flatMap { Int($0.1) } ?? 0
    }

    /// Runs `body` with an origin that gives each user's first version to the first ``users``, and the second one from then on.
    private static func origin(_ body: (OddServer) async throws -> Void) async throws {
        try await OddServer.run(
            { request, number in .value(value(number <= users.count ? 1 : 2, of: user(of: request))) }, body)
    }

    /// Asks for every user once, and then ends the process with `signal`, when `moment` has returned.
    private static func serve(
        in folder: WorkFolder, _ origin: OddServer, thenSend signal: Int32, _ moment: () async throws -> Void = {}
    ) async throws -> Ran {
        try await folder.serving(environment: ["ORIGIN": origin.url]) { server in
            for user in users {
                let answer = try await server.get("/friends?user=\(user)")
                #expect(answer.status == 200)
            }
            try await moment()
            server.process.send(signal)
        }
    }

    private static func read(_ user: Int, in folder: WorkFolder) -> String? {
        folder.read(".cache/friends,user=\(user).json")
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `SH-01 a signal leaves every value that waits on disk, with what is known of it`(signal: Int32) async throws {
        try await Self.origin { origin in
            let folder = try WorkFolder(Self.config(debounce: "1h"))

            let ran = try await Self.serve(in: folder, origin, thenSend: signal) {
                #expect(folder.files(below: ".cache") == [])
            }

            #expect(ran.status == 0)
            #expect(Self.users.allSatisfy { Self.read($0, in: folder) == Self.value(1, of: $0) })
            #expect(folder.files(below: ".cache").count == 2 * Self.users.count)
            // Fresh copies, with their limits: nothing is asked for again.
            for user in Self.users {
                let envelope = try Envelope(
                    try await folder.run("fetch", "friends", "user=\(user)", "--output", "envelope", environment: ["ORIGIN": origin.url]))
                #expect(envelope.from == "disk" && envelope.freshFor.map { $0 <= 36_000_000 } == true)
            }
            #expect(origin.count == Self.users.count)
        }
    }

    enum Moment: CaseIterable {
        /// Values wait, none is being written.
        case waiting
        /// The quiet time of the last one begins.
        case answered
        /// One is written, others are about to be.
        case writing
    }

    @Test(arguments: Moment.allCases)
    func `SH-02 a kill leaves each file old or new, never torn, and the next run works`(moment: Moment) async throws {
        try await Self.origin { origin in
            let folder = try WorkFolder(Self.config(debounce: "1h"))
            #expect(try await Self.serve(in: folder, origin, thenSend: SIGTERM).status == 0)
            // Every request brings a new value from here on.
            try folder.write("pipeline.yaml", Self.config(debounce: moment == .waiting ? "1h" : "1ms", reads: false))

            let ran = try await Self.serve(in: folder, origin, thenSend: SIGKILL) {
                guard moment == .writing else { return }
                try await until("a new value on disk") {
                    Self.users.contains { Self.read($0, in: folder) == Self.value(2, of: $0) }
                }
            }

            #expect(ran.status == 128 + SIGKILL)
            let files = Self.users.map { Self.read($0, in: folder) }
            let versions = zip(Self.users, files).map { user, file in (1...2).first { Self.value($0, of: user) == file } }
            #expect(versions.allSatisfy { $0 != nil }, "\(files.map { $0?.prefix(40) })")
            if moment == .waiting { #expect(versions.allSatisfy { $0 == 1 }) }
            if moment == .writing { #expect(versions.contains(2)) }

            try folder.write("pipeline.yaml", Self.config(debounce: "1h"))
            for (user, file) in zip(Self.users, files) {
                let ran = try await folder.run("fetch", "friends", "user=\(user)", environment: ["ORIGIN": origin.url])
                #expect(ran.status == 0 && ran.text == file && ran.errors == "")
            }
            // A run that writes here sweeps what the dead one left.
            #expect(
                try await folder.run("fetch", "friends", "user=1", "--policy", "refresh", environment: ["ORIGIN": origin.url]).status == 0)
            #expect(Self.read(1, in: folder) == Self.value(2, of: 1))
            #expect(folder.files(below: ".cache").count == 2 * Self.users.count)
        }
    }
}

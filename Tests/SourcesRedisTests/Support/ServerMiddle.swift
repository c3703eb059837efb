import Pipeline
import PipelineConfig
import PipelineTesting
import TestSupport

@testable import SourcesRedis

/// A cache on a server of its own.
struct ServerMiddle: MiddleCache {
    let plugin = SourcePlugin.redis
    let server: RedisServer
    let time: ManualClock

    /// One connection carries all commands about a key.
    let ordersReadsBehindChanges = true

    var fields: String { "url: '\(server.url())', timeout: 20s" }

    private func withOther<Value: Sendable>(_ body: (RedisSource) async throws -> Value) async throws -> Value {
        let other = try makeSource(server.url(), clock: time.clock)
        let value = try await body(other)
        await other.close()
        return value
    }

    func hold(_ entry: Entry, for key: Key) async throws {
        try await withOther { try await $0.write(entry, for: key) }
    }

    func entry(for key: Key) async throws -> Entry? {
        try await withOther { try await $0.read(key) }
    }

    func count() async throws -> Int {
        guard case .integer(let count) = try await server.ask("DBSIZE") else { return -1 }
        return Int(count)
    }

    func watch() async throws -> @Sendable () async throws -> Bool {
        _ = try await server.ask("CONFIG", "RESETSTAT")
        return { [server] in
            let used = try await server.ask("INFO", "commandstats").text ?? ""
            return ["get", "set", "del", "unlink", "eval", "evalsha", "scan"].contains { used.contains("cmdstat_\($0):") }
        }
    }

    func breakDown() -> Fault {
        server.kill()
        return Fault("connection refused by \(server.authority)")
    }

    func refuseChanges() async throws -> Fault {
        _ = try await server.ask("REPLICAOF", "127.0.0.1", "1")
        return Fault("\(server.authority) is a replica, which cannot be written")
    }

    func holdUpChanges() async throws {
        _ = try await server.ask("CLIENT", "PAUSE", "600000", "WRITE")
    }

    func changeWaits() async throws {
        _ = try await eventually {
            let clients = try await server.ask("INFO", "clients").text ?? ""
            return clients.contains("blocked_clients:") && !clients.contains("blocked_clients:0") ? true : nil
        }
    }

    func takeChanges() async throws {
        _ = try await server.ask("CLIENT", "UNPAUSE")
        _ = try await server.ask("REPLICAOF", "NO", "ONE")
    }
}

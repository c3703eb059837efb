import Foundation

/// A running `pipe-run serve`.
struct Serving {
    let process: PipeRunProcess
    let port: Int

    var url: String { "http://127.0.0.1:\(port)" }

    /// Runs `body` with the server that `process` is, and ends it unless `body` has done so.
    static func run(_ process: PipeRunProcess, _ body: (Serving) async throws -> Void) async throws -> Ran {
        do {
            let port = try await blocking {
                try process.errors.first { $0.firstMatch(of: /serving on http:\/\/[^ ]*:([0-9]+)["\n]/).flatMap { Int($0.1) } }
            }
            try await body(Serving(process: process, port: port))
        } catch {
            process.send(SIGKILL)
            _ = try? await process.ran()
            throw error
        }
        if !process.isSignalled { process.send(SIGTERM) }
        return try await process.ran()
    }

    /// Asks once, on a connection of its own.
    func get(_ target: String, method: String = "GET", headers: [String: String] = [:]) async throws -> Answer {
        try await blocking { [port] in
            let request = try Request(method, target, headers: headers, port: port)
            return try request.answer()
        }
    }

    /// Writes, on a connection of its own. A body is JSON unless the headers say otherwise; an empty type is none.
    func send(_ method: String, _ target: String, _ body: String = "", headers: [String: String] = [:]) async throws -> Answer {
        let fields = (body.isEmpty ? headers : ["Content-Type": "application/json"].merging(headers) { $1 }).filter { !$0.value.isEmpty }
        return try await blocking { [port] in
            try Request(method, target, headers: fields, body: body, port: port).answer()
        }
    }
}

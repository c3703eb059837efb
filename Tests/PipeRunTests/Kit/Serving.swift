/// A running `pipe-run serve`.
struct Serving {
    let process: PipeRunProcess
    let port: Int

    var url: String { "http://127.0.0.1:\(port)" }

    /// Asks once, on a connection of its own.
    func get(_ target: String, method: String = "GET", headers: [String: String] = [:]) async throws -> Answer {
        try await blocking { [port] in
            let request = try Request(method, target, headers: headers, port: port)
            return try request.answer()
        }
    }
}

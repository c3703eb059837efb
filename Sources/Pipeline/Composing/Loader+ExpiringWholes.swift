extension Loader {
    /// Expires the wholes that were made from another value than this loader gives.
    func expiringWholes(in wholes: WholeIndex) -> Loader {
        Loader(name, begin: begin) { request in
            let reply = try await load(request)
            guard wholes.hasComposites, request.policy.writes else { return reply }
            switch reply.answer {
            case .value(let entry), .notFound(let entry): await wholes.changed(request.key, to: entry, by: request.permit)
            case .stale, .none, .failed: break
            }
            return reply
        }
    }
}

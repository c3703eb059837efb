import NIOHTTP1
public import Pipeline
import PipelineSockets

extension HTTPSource {
    /// One request for several values, where `batch` says how.
    public var batching: Batching? {
        guard let batch = settings.batch, let parameter = batch.parameter else { return nil }
        return Batching(of: parameter, most: batch.max, window: batch.window) { [self] keys, context in
            let request = try settings.request(for: keys, batch)
            return try await answering(request, context) { [settings] answer, exchange, created, freshness in
                // That there is no such list says nothing of its values.
                guard settings.accepted.accepts(answer.status) else { return nil }
                // What confirms the list confirms none of its values.
                let template = Entry(
                    [], created: freshness?.created ?? created, freshUntil: freshness?.freshUntil,
                    contentType: answer.headers.first(name: "Content-Type"), cacheControl: freshness?.control, variant: freshness?.variant,
                    notKept: freshness?.notKept)
                return try BatchAnswer(
                    try await exchange.payload(of: answer), items: batch.items, id: batch.id, of: parameter, for: keys,
                    missing: batch.missing, as: template)
            }
        }
    }
}

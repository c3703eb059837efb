import AsyncHTTPClient
import NIOCore
import NIOHTTP1
public import Pipeline
internal import PipelineConfig
import PipelineSockets

extension HTTPSource {
    /// Asks for the head of the answer alone (`HEAD`), whatever the method is: that changes nothing at the server.
    ///
    /// 401, 403 and 407 refuse, and so does a certificate that is not trusted; any other answer, redirects too, is one of a server that can be reached. Where parameters stand in
    /// the request there is nothing to ask for: only the connection is tried, TLS included, and where they stand in the host nothing.
    public func check() async throws -> Reachability {
        guard !lease.isClosed else { throw SourceError("the source is closed") }
        guard !settings.hostDependsOnKey else { return .untried("its host depends on a parameter") }
        guard settings.isConstant else {
            try await connect()
            return .reachable
        }
        let whole = try settings.request(for: Key(pipeline: "check"))
        let url = whole.url
        var request = whole.clientRequest(by: Route(to: url, through: settings.proxy))
        request.method = .HEAD
        request.tlsConfiguration = try tls()
        request.body = nil
        request.headers.remove(name: "Content-Type")
        let client = try lease.client(for: url)
        let words = FailureWords(url: url, maxSize: settings.maxSize, proxy: settings.proxy)
        return try await clock.race(
            until: settings.timeout.map { clock.now + $0 }, late: { [late] in throw late }, leaving: { await $0.end() }
        ) {
            [request] in
            do {
                let status = try await client.execute(request, mayRepeat: true).status
                guard ![401, 403, 407].contains(status.code) else {
                    throw SourceError(refused: "status \(status.code) from \(url.place)")
                }
                return .reachable
            } catch {
                throw words.error(for: error)
            }
        }
    }
}

extension HTTPSettings {
    /// Whether every key gives the same request line and fields; a body is not sent with `HEAD`.
    fileprivate var isConstant: Bool {
        url.isConstant && query.allSatisfy(\.value.isConstant) && headers.allSatisfy(\.value.isConstant)
    }
}

import AsyncHTTPClient
import NIOCore
import NIOHTTP1
public import Pipeline
internal import PipelineConfig
import PipelineNetwork
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
        var exchange = HTTPExchange(
            lease: lease, origins: origins, settings: settings, tls: try tls(),
            context: ReadContext(deadline: settings.timeout.map { clock.now + $0 }), clock: clock, download: nil)
        // It waits for its turn as any other request does: an origin that rests is not asked.
        let permit = try await exchange.permit(for: whole)
        exchange.end = settings.timeout.map { clock.now + $0 }
        let status = try await clock.race(until: exchange.end, late: { [late] in throw late }, leaving: { await $0.end() }) { [exchange] in
            try await exchange.probe(whole, with: permit)
        }
        guard ![401, 403, 407].contains(status) else { throw SourceError("status \(status) from \(whole.url.place)", kind: .refused) }
        return .reachable
    }
}

extension HTTPExchange {
    /// The status that the server gives to a `HEAD` in place of `request`.
    fileprivate func probe(_ request: OutgoingRequest, with permit: RequestPermit) async throws -> Int {
        var head = clientRequest(request)
        head.method = .HEAD
        head.body = nil
        head.headers.remove(name: "Content-Type")
        do {
            try await findHost(of: request.url)
            let response = try await lease.client(for: request.url).execute(head, mayRepeat: true)
            note(response, isForRest: false, permit)
            permit.end(.answered)
            return Int(response.status.code)
        } catch {
            let failure = FailureWords(url: request.url, maxSize: settings.maxSize, proxy: settings.proxy).error(for: error)
            permit.end(outcome(of: error, as: failure))
            throw failure
        }
    }
}

extension HTTPSettings {
    /// Indicates whether every key gives the same request line and fields; a body is not sent with `HEAD`.
    fileprivate var isConstant: Bool {
        url.isConstant && query.allSatisfy(\.value.isConstant) && headers.allSatisfy(\.value.isConstant)
    }
}

import NIOHTTP1
package import Pipeline
package import PipelineConfig
import PipelineSockets

/// What the fields of an `sse` source say.
package struct SSESettings: Sendable {
    package var url: URLTemplate
    package var headers = FieldMap<SecretTemplate>()
    /// Whether a new connection goes on behind the last event, as the server promises.
    package var resumes = false
    package var reconnect = ReconnectPolicy()
    /// The longest time without a byte.
    package var idleTimeout = Duration.seconds(60)
    /// The most bytes of an event's data.
    package var maxMessage = Size.mebibytes(1)
    /// Certificates to trust besides those of the machine.
    package var trusted: CertificateFile?

    package init(url: URLTemplate) {
        self.url = url
    }
}

extension SSESettings {
    /// The request for `key`. Whatever the parameters hold, it has the configured URL and fields, with values in their places.
    func request(for key: Key) throws -> StreamRequest {
        do {
            var headers = try HTTPHeaders(filling: headers, of: url, for: key, accept: "text/event-stream")
            if !headers.contains(name: "Cache-Control") { headers.add(name: "Cache-Control", value: "no-store") }
            return StreamRequest(url: try HTTPURL(url.filled(for: key)), headers: headers)
        } catch let problem as HTTPURL.Problem {
            throw SourceError("cannot ask the URL: \(problem.words)", kind: .refused, cause: problem)
        }
    }

    /// Whether every key gives the same request.
    var isConstant: Bool { url.isConstant && headers.allSatisfy(\.value.isConstant) }
}

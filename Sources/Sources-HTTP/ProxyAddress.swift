import Pipeline
package import PipelineConfig
package import PipelineSockets

/// The proxy that requests go through, and the hosts that are asked without it.
package struct ProxyAddress: Sendable, Hashable {
    /// Where the proxy listens.
    package let url: HTTPURL
    /// What it wants to know who asks: a user and a password, separated by a colon; nil for nothing.
    let credentials: String?
    private let exceptions: [DirectHosts]

    /// The proxy at `url`.
    ///
    /// - Parameter exceptions: as `NO_PROXY` has them: `localhost,.example.org,10.0.0.0/8,10.0.0.1:8080`; `*` stands for every host.
    package init(_ url: HTTPURL, credentials: String? = nil, except exceptions: String? = nil) {
        self.url = url
        self.credentials = credentials
        self.exceptions = (exceptions ?? "").lowercased().split { ", \t".contains($0) }.map { DirectHosts(String($0)) }
    }

    /// Whether the server of `target` is asked through the proxy.
    func serves(_ target: HTTPURL) -> Bool {
        let address = HostAddress(target.hostToResolve)
        return !exceptions.contains { $0.contains(target, address) }
    }
}

/// What can be written for `proxy`: a URL, or nothing, as `${HTTPS_PROXY:-}` can be.
package struct ProxyChoice: Sendable, Hashable {
    /// The proxy; nil for none.
    package let proxy: ProxyAddress?
}

extension ProxyChoice: FieldValue {
    /// A URL.
    package static var fieldType: FieldType { .url }

    /// What ``decode(_:with:)`` takes, as ECMA-262 has patterns.
    static let pattern = #"^$|^[Hh][Tt][Tt][Pp]://[^{}]*$"#

    /// The URL of a proxy, whose user and password are kept out of every message; empty for none. `NO_PROXY` names the exceptions.
    package static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> ProxyChoice? {
        guard let text = decoder.text(of: node, expecting: "the URL of a proxy") else { return nil }
        guard !text.isEmpty else { return ProxyChoice(proxy: nil) }
        guard let template = URLTemplate.decode(node, with: decoder, example: "http://proxy.example.org:3128") else { return nil }
        let help = "write it as `http://proxy.example.org:3128`"
        guard template.isConstant else {
            decoder.report(
                .malformed, "malformed URL for `\(decoder.fieldName)`: a parameter cannot stand in it", at: node, help: help)
            return nil
        }
        guard template.scheme == "http" else {
            let problem = template.scheme == "https" ? "a proxy is asked without TLS" : "only a proxy that speaks HTTP can be asked"
            decoder.report(
                .outOfRange, "\(decoder.quoted(node)) is out of range for `\(decoder.fieldName)`: \(problem)", at: node, help: help)
            return nil
        }
        do {
            let url = try HTTPURL(template.filled(for: Key(pipeline: "")))
            let exceptions = decoder.variable("NO_PROXY") ?? decoder.variable("no_proxy")
            return ProxyChoice(proxy: ProxyAddress(url, credentials: template.credentials, except: exceptions))
        } catch {
            decoder.report(.malformed, "malformed URL for `\(decoder.fieldName)`: \(error.words)", at: node)
            return nil
        }
    }

    /// The place alone.
    package var written: String? { proxy?.url.origin }
}

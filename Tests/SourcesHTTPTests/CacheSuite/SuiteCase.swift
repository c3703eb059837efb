/// A case of the suite, as its files say it.
struct SuiteCase: Decodable, Sendable {
    enum Kind: String, Decodable {
        /// The RFC demands it.
        case required
        /// A good cache does it.
        case optimal
        /// It is only asked.
        case check
    }

    let id: String
    let name: String
    private let kind: Kind?
    private let dependsOn: [String]?
    private let browserOnly: Bool?
    private let browserSkip: Bool?
    private let cdnOnly: Bool?
    let requests: [SuiteRequest]

    private enum CodingKeys: String, CodingKey {
        case id, name, kind, requests
        case dependsOn = "depends_on"
        case browserOnly = "browser_only"
        case browserSkip = "browser_skip"
        case cdnOnly = "cdn_only"
    }

    /// What passing it means.
    var weight: Kind { kind ?? .required }
    /// The cases without which it says nothing.
    var dependencies: [String] { dependsOn ?? [] }
    /// How much its origin fails, which other cases would notice: they share its host, whose failures count together.
    var damage: Int {
        requests.map { request in
            let isRefused = [429, 503].contains(request.responseStatus?.code) && request.expectedStatus != nil
            return isRefused ? 2 : request.disconnects == true ? 1 : 0
        }.max() ?? 0
    }

    /// Whether its origin itself lets caches serve expired values when it fails.
    var allowsStale: Bool {
        requests.flatMap { $0.responseHeaders ?? [] }.contains { $0.written(at: 0).contains("stale-if-error") }
    }

    /// Whether it is about the cache of one user.
    var isForPrivate: Bool { browserOnly ?? false }
    /// Whether it is about a cache that many share.
    var isForShared: Bool { browserSkip ?? false }
    /// Whether it is about a network of caches with a field of their own.
    var isForNetworks: Bool { cdnOnly ?? false }
}

/// The cases of one subject.
struct SuiteGroup: Decodable, Sendable {
    let id: String
    let name: String
    let tests: [SuiteCase]
}

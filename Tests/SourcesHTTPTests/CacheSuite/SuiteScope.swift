/// Which cases concern a cache of whole answers under keys of its own, and why the others do not.
enum SuiteScope {
    /// The groups that are about something that pipelines and `serve` do not have.
    private static let groups = [
        "headers": "fields of an answer that are not about the value are not kept",
        "invalidation": "nothing is sent through a pipeline that would change the value",
        "partial": "parts of a value are neither asked for nor kept",
        "interim": "answers before the answer are not passed on",
        "method": "a value has one request; its method is no part of what a client asks",
        "updateHEAD": "an origin is not asked with HEAD",
        "cc-request": "clients do not direct the cache: `fetch --policy` does",
        "cdn-cache-control": "a field for networks of caches",
    ]

    /// The cases that ask whether fields that are not kept are brought up to date.
    private static let unkept = [
        "304-etag-update-response-Test-Header", "304-etag-update-response-X-Test-Header", "304-etag-update-response-Content-Foo",
        "304-etag-update-response-X-Content-Foo",
    ]

    /// Why a case is not played; nil for one that is.
    static func reason(against played: SuiteCase, of group: String, as mode: SuiteMode) -> String? {
        if played.isForNetworks { return groups["cdn-cache-control"] }
        if let reason = groups[group] { return reason }
        if played.isForPrivate, mode == .shared { return "about a cache of one user" }
        if played.isForShared, mode == .private { return "about a cache that many share" }
        if unkept.contains(played.id) { return groups["headers"] }
        for request in played.requests {
            if request.fetchMode != nil { return "a reload in a browser" }
            if request.requestHeaders?.contains(where: { $0.name.lowercased() == "pragma" }) == true { return groups["cc-request"] }
        }
        return nil
    }
}

/// What kind of cache is played.
enum SuiteMode: String, CaseIterable, Sendable {
    case `private`
    case shared
}

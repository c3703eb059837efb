import NIOHTTP1
import Pipeline
internal import PipelineConfig
import PipelineSockets

/// What an answer says about its copies, and how long they are fresh (RFC 9111, sections 3 and 4.2).
struct OriginFreshness {
    /// When the value was as the answer says: when the request was sent, less the age of the answer.
    let created: Timestamp
    /// Until when copies are fresh; nil for a `not_found` of which the server does not say it.
    let freshUntil: Timestamp?
    /// What the server says, as this cache must take it.
    let control: CacheControl
    /// Which of several answers it is; nil where there is only one.
    let variant: String?
    /// Why no cache may store it; nil where caches may.
    let notKept: String?

    /// - Parameters:
    ///   - answer: the fields of the answer. A 304 leaves out what is as in `known`.
    ///   - known: the copy that a 304 confirms.
    ///   - requested: when the request was sent, on the time line of copies.
    ///   - wall: the wall time at which the answer came.
    init(
        _ settings: HTTPSettings, status: Int, _ answer: HTTPHeaders, to request: HTTPHeaders, confirming known: Entry?,
        requested: Timestamp, wall: Timestamp
    ) {
        let times = AnswerTimes(answer, wall: wall)
        var control =
            answer.contains(name: "Cache-Control")
            ? CacheControl(field: answer["Cache-Control"].joined(separator: ",")) : known?.cacheControl ?? CacheControl()
        created = requested - .seconds(Int64(times.age))
        control.expires = times.lifetimeByExpires ?? (times.hasDate ? known?.expiresLeft(at: created) : known?.cacheControl?.expires)
        let isShared = settings.caching == .shared
        var (variant, endless) = (known?.variant, String?.none)
        if known == nil || answer.contains(name: "Vary") {
            do { variant = try RequestVariant(of: answer, to: request)?.text } catch { endless = error.reason }
        }
        notKept =
            Self.refusal(by: control, status: status, isShared: isShared, isAuthorized: request.contains(name: "Authorization"))
            ?? endless
        if isShared { control.takeShared() } else { control.sharedMaxAge = nil }
        self.control = control
        self.variant = variant

        let isRefused = notKept != nil || control.flags.contains(.noCache)
        let said = (control.maxAge ?? control.expires).map { Duration.seconds(Int64($0)) }
        // An absence is remembered by the pipeline's own time where the server says nothing.
        if status == 404 || status == 410, said == nil, !isRefused {
            freshUntil = nil
        } else {
            let lastModified = times.lastModified ?? known?.lastModified.flatMap(times.seconds)
            let lifetime = said ?? times.defaultLifetime(settings.defaultFreshness, status: status, control, since: lastModified)
            freshUntil = created + (isRefused ? .zero : min(max(lifetime, settings.minFreshness), settings.maxFreshness))
        }
    }

    /// Why a cache must not store the answer; nil where it may.
    private static func refusal(by control: CacheControl, status: Int, isShared: Bool, isAuthorized: Bool) -> String? {
        let flags = control.flags
        if flags.contains(.mustUnderstand) {
            if !isKnown(status) { return "must-understand" }
        } else if flags.contains(.noStore) {
            return "no-store"
        }
        guard isShared else { return nil }
        if flags.contains(.isPrivate) { return "private" }
        let isForAll = !flags.isDisjoint(with: [.isPublic, .mustRevalidate]) || control.sharedMaxAge != nil
        return isAuthorized && !isForAll ? "authorization" : nil
    }

    /// Whether RFC 9110 defines the status; a 304 confirms an answer that has one.
    private static func isKnown(_ status: Int) -> Bool {
        switch status {
        case 200...206, 300...305, 307, 308, 400...417, 421, 422, 426, 500...505: true
        default: false
        }
    }
}

extension Entry {
    /// For how many seconds from `moment` on the copy is fresh by its field `Expires`, nil without one: that names a moment, which stays when a
    /// 304 brings a new `Date` alone (RFC 9111, sections 3.2 and 4.2.1).
    fileprivate func expiresLeft(at moment: Timestamp) -> UInt32? {
        guard let seconds = cacheControl?.expires else { return nil }
        let left = Duration.seconds(Int64(seconds)) - max(.zero, moment.duration(since: created))
        return UInt32(max(0, left.components.seconds))
    }
}

extension CacheControl {
    /// Takes what is said to caches that several users share.
    fileprivate mutating func takeShared() {
        if let sharedMaxAge {
            maxAge = sharedMaxAge
            flags.insert(.mustRevalidate)
        }
        if flags.contains(.proxyRevalidate) { flags.insert(.mustRevalidate) }
    }
}

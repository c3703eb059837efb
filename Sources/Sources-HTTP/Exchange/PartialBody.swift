import NIOHTTP1
import Pipeline
internal import PipelineConfig
import PipelineSockets
import Synchronization

/// The beginning of a body whose download broke off, and the server's word on all of it (RFC 9110, section 14).
struct PartialBody: Sendable {
    let bytes: [UInt8]
    /// The fields of the answer that it comes from.
    let headers: HTTPHeaders
    /// The validator that `If-Range` needs to be sure that it is still the same body.
    let validator: String
    /// The length of the complete body; nil if the server did not say.
    let total: Int?

    /// The length of the complete body, if `answer` goes on where this ends and has all the rest of the same body; else nil. A server may
    /// give less than it was asked for, and another body where it does not look at `If-Range` (RFC 9110, sections 13.1.5 and 15.3.7).
    func whole(continuedBy answer: HTTPExchange.Answer, limit: Int) -> Int? {
        guard answer.status == 206, answer.headers.contentCodings.isEmpty, let range = answer.headers.contentRange,
            let whole = range.total, whole == total ?? whole, whole <= limit, range.first == bytes.count, range.last == whole - 1
        else { return nil }
        return answer.headers.repeatValidator(of: self) ? whole : nil
    }
}

extension PartialBody {
    /// The part that `answer` gave; nil if it cannot be continued.
    ///
    /// - Parameter wall: the present wall time.
    init?(_ bytes: [UInt8], of answer: HTTPExchange.Answer, wall: Timestamp) {
        headers = answer.headers
        guard answer.status == 200, headers.contentCodings.isEmpty,
            headers[canonicalForm: "Accept-Ranges"].contains(where: { $0.lowercased() == "bytes" }),
            let validator = headers.rangeValidator(wall: wall)
        else { return nil }
        total = headers.first(name: "Content-Length").flatMap { Int($0) }
        // A body that is too long is none that goes on.
        if let total, total <= bytes.count { return nil }
        self.bytes = bytes
        self.validator = validator
    }
}

extension HTTPHeaders {
    /// A strong etag, or a `Last-Modified` that is at least a second older than `Date` (RFC 9110, sections 8.8.2.2 and 13.1.5).
    fileprivate func rangeValidator(wall: Timestamp) -> String? {
        if contains(name: "ETag") {
            guard self["ETag"].count == 1, let etag = first(name: "ETag") else { return nil }
            return etag.hasPrefix("\"") && HeaderFields.canBeTag(etag) ? etag : nil
        }
        let times = AnswerTimes(self, wall: wall)
        guard let modified = first(name: "Last-Modified"), HeaderFields.canBeValue(modified), let older = times.lastModified,
            let newer = first(name: "Date").flatMap(times.seconds), older < newer
        else { return nil }
        return modified
    }

    /// Indicates whether they have the validator of `part`, and no other one instead of what it has besides.
    fileprivate func repeatValidator(of part: PartialBody) -> Bool {
        ["ETag", "Last-Modified"].allSatisfy { name in
            let (known, said) = (part.headers[name], self[name])
            return said == known || said.isEmpty && known != [part.validator]
        }
    }

    /// `bytes 3-9/10`: where a part begins and ends, and the length of the complete body if it is known.
    fileprivate var contentRange: (first: Int, last: Int, total: Int?)? {
        let fields = self["Content-Range"]
        guard fields.count == 1, let text = fields.first, text.lowercased().hasPrefix("bytes ") else { return nil }
        let parts = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        let ends = (parts.first ?? "").split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, ends.count == 2, let first = Int(ends[0]), let last = Int(ends[1]), 0 <= first, first <= last else {
            return nil
        }
        let total = Int(parts[1])
        guard parts[1] == "*" || total.map({ last < $0 }) == true else { return nil }
        return (first, last, total)
    }

    /// These fields of the rest of a body, completed by the fields of its beginning (RFC 9110, section 15.3.7.3).
    ///
    /// - Parameter length: the length of the complete body.
    fileprivate func completing(_ beginning: HTTPHeaders, length: Int) -> HTTPHeaders {
        var whole = beginning
        for name in Set(map { $0.name.lowercased() } + ["content-length"]) { whole.remove(name: name) }
        for field in self where !["content-length", "content-range"].contains(field.name.lowercased()) {
            whole.add(name: field.name, value: field.value)
        }
        whole.add(name: "Content-Length", value: "\(length)")
        return whole
    }
}

extension HTTPExchange.Answer {
    /// Indicates whether it is an answer to a request for all of the body. A `Content-Range` means nothing with a 200 (RFC 9110, section
    /// 14.4), but some servers answer a request for a part so.
    var isWhole: Bool {
        guard 200..<300 ~= status, status != 206 else { return false }
        guard let range = headers.contentRange else { return true }
        return range.first == 0 && range.total.map { range.last >= $0 - 1 } ?? false
    }

    /// The answer with the complete body, of this length: the bytes of this one after `part`.
    func continuing(_ part: PartialBody, length: Int) -> HTTPExchange.Answer {
        var whole = self
        whole.status = 200
        whole.headers = headers.completing(part.headers, length: length)
        whole.beginning = part.bytes
        return whole
    }
}

/// The beginnings of downloads that broke off, by the key of their load. In memory alone: at most 100 of at most 32 MiB each, and each until
/// its key is removed.
final class PartialBodies: Sendable {
    private static let most = 100
    private static let mostBytes = 32 << 20

    private struct Kept {
        let part: PartialBody
        /// The permit that shows whether the key was removed since.
        let permit: Generations.WritePermit?
        let number: UInt64
    }

    private struct State {
        var parts: [Key: Kept] = [:]
        var lastNumber: UInt64 = 0
    }

    private let state = Mutex(State())

    /// The part of `key`; nil if there is none, or when the key was removed since.
    subscript(key: Key) -> PartialBody? {
        guard let kept = state.withLock({ $0.parts[key] }) else { return nil }
        guard kept.permit?.isCurrent ?? true else {
            drop(key)
            return nil
        }
        return kept.part
    }

    /// Forgets the part of `key`.
    func drop(_ key: Key) {
        let dropped = state.withLock { $0.parts.removeValue(forKey: key) }
        withExtendedLifetime(dropped) {}
    }

    /// Keeps `part` in place of an earlier one; the oldest goes where there are too many.
    func keep(_ part: PartialBody, of key: Key, _ permit: Generations.WritePermit?) {
        guard !part.bytes.isEmpty, part.bytes.count <= Self.mostBytes else { return }
        // What goes does so after the lock: the last use of a permit takes a lock of its own.
        let dropped = state.withLock { state -> [Kept] in
            state.lastNumber += 1
            var dropped = [state.parts.updateValue(Kept(part: part, permit: permit, number: state.lastNumber), forKey: key)]
            if state.parts.count > Self.most, let oldest = state.parts.min(by: { $0.value.number < $1.value.number })?.key {
                dropped.append(state.parts.removeValue(forKey: oldest))
            }
            return dropped.compactMap(\.self)
        }
        withExtendedLifetime(dropped) {}
        permit?.whenWorthless(for: self) { [weak self] in self?.drop(key) }
    }

    /// The number of parts that are kept, for tests.
    var count: Int { state.withLock { $0.parts.count } }
}

/// A load that goes on where an earlier one of its key broke off, and leaves its own beginning to the next.
struct Download: Sendable {
    private let key: Key
    private let parts: PartialBodies
    private let permit: Generations.WritePermit?

    init(_ key: Key, of parts: PartialBodies, _ permit: Generations.WritePermit?) {
        self.key = key
        self.parts = parts
        self.permit = permit
    }

    /// The part of the body that an earlier load left.
    var part: PartialBody? { parts[key] }

    func keep(_ part: PartialBody?) { if let part { parts.keep(part, of: key, permit) } }

    func drop() { parts.drop(key) }
}

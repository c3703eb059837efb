import Pipeline
import PipelineTesting
import Synchronization

/// A cache with one fault, to see that the kit finds it.
final class BrokenCache: WritableSource {
    enum Fault: CaseIterable {
        case keepsTheFirstValue
        case forgetsNothing
        case failsToRemoveNothing
        case confusesConcatenatedKeys
        case foldsCase
        case comparesTextAsUnicode
        case shortensLongKeys
        case takesEmptyForMissing
        case cutsPayloads
        case keepsTheCopyBeforeOneThatItRefuses
        case dropsMetadata
        case roundsTimes
        case takesNotFoundForMissing
        case renewsWhateverIsThere
        case renewsWhatIsGone
        case renewsNothing
        case clearsByPrefix
        case clearsNothing
        case tearsConcurrentWrites
        case losesConcurrentWrites
        case missesWhenCancelled
        case failsOtherwiseWhenCancelled
        case skipsCancelledWrites
        case writesWhenChecked
        case forgetsWhenChecked
        case isNeverReachable

        /// The part of the contract that it breaks.
        var check: String {
            switch self {
            case .keepsTheFirstValue: "overwrite"
            case .forgetsNothing: "remove"
            case .failsToRemoveNothing: "remove of nothing"
            case .confusesConcatenatedKeys, .foldsCase, .comparesTextAsUnicode, .shortensLongKeys: "odd keys"
            case .takesEmptyForMissing, .cutsPayloads, .keepsTheCopyBeforeOneThatItRefuses: "payloads"
            case .dropsMetadata, .roundsTimes: "metadata"
            case .takesNotFoundForMissing: "not found"
            case .renewsWhateverIsThere: "renewal of another payload"
            case .renewsWhatIsGone: "renewal of nothing"
            case .renewsNothing: "renewal"
            case .clearsByPrefix, .clearsNothing: "clear"
            case .tearsConcurrentWrites: "concurrent writers of one key"
            case .losesConcurrentWrites: "concurrent writers of many keys"
            case .missesWhenCancelled, .failsOtherwiseWhenCancelled: "cancelled read"
            case .skipsCancelledWrites: "cancelled write"
            case .writesWhenChecked, .forgetsWhenChecked, .isNeverReachable: "checking"
            }
        }
    }

    private struct Held {
        let pipeline: String
        var entry: Entry
    }

    private let fault: Fault
    private let held = Mutex<[String: Held]>([:])

    init(_ fault: Fault) {
        self.fault = fault
    }

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        if Task.isCancelled {
            if fault == .missesWhenCancelled { return nil }
            if fault == .failsOtherwiseWhenCancelled { throw SourceError("interrupted") }
        }
        let name = name(of: key)
        let entry = held.withLock { $0[name]?.entry }
        if fault == .takesEmptyForMissing, entry?.payload == [] { return nil }
        if fault == .takesNotFoundForMissing, entry?.isNotFound == true { return nil }
        return entry
    }

    func write(_ entry: Entry, for key: Key) async throws {
        let name = name(of: key)
        var entry = entry
        switch fault {
        case .skipsCancelledWrites where Task.isCancelled: return
        case .keepsTheFirstValue where held.withLock({ $0[name] }) != nil: return
        case .cutsPayloads: entry.payload = entry.payload.map { Array($0.prefix(65_536)) }
        case .keepsTheCopyBeforeOneThatItRefuses where entry.payload?.count ?? 0 > 100_000: throw SourceError("too large", kind: .notKept)
        case .dropsMetadata: entry = entry.payload.map { Entry($0, created: entry.created, freshUntil: entry.freshUntil) } ?? entry
        case .roundsTimes: entry.created.nanoseconds -= entry.created.nanoseconds % 1_000_000
        case .tearsConcurrentWrites:
            guard let payload = entry.payload, payload.count > 1_000 else { break }
            entry.payload = Array(payload.prefix(1_000))
            let part = Held(pipeline: key.pipeline, entry: entry)
            held.withLock { $0[name] = part }
            await Task.yield()
            held.withLock { $0[name]?.entry.payload?.append(contentsOf: payload.dropFirst(1_000)) }
            return
        case .losesConcurrentWrites:
            var all = held.withLock { $0 }
            await Task.yield()
            all[name] = Held(pipeline: key.pipeline, entry: entry)
            held.withLock { [all] in $0 = all }
            return
        default: break
        }
        held.withLock { [entry] in $0[name] = Held(pipeline: key.pipeline, entry: entry) }
    }

    func renew(_ held: Entry, as entry: Entry, for key: Key) async throws -> Bool {
        let name = name(of: key)
        switch fault {
        case .renewsNothing: return true
        case .renewsWhatIsGone where self.held.withLock({ $0[name] }) == nil:
            var empty = entry
            empty.payload = []
            self.held.withLock { [empty] in $0[name] = Held(pipeline: key.pipeline, entry: empty) }
            return true
        case .renewsWhateverIsThere:
            self.held.withLock { held in
                var renewed = entry
                renewed.payload = held[name]?.entry.payload
                held[name]?.entry = renewed
            }
            return true
        default:
            try await write(entry, for: key)
            return true
        }
    }

    func check() async throws -> Reachability {
        switch fault {
        case .writesWhenChecked:
            let probe = Key(pipeline: "friends", parameters: ["user": "42"])
            try await write(Entry([], created: Timestamp(nanoseconds: 0)), for: probe)
        case .forgetsWhenChecked: held.withLock { $0 = [:] }
        case .isNeverReachable: throw SourceError("nobody there")
        default: break
        }
        return .reachable
    }

    func remove(_ key: Key) async throws {
        if fault == .forgetsNothing { return }
        let name = name(of: key)
        let removed = held.withLock { $0.removeValue(forKey: name) }
        if removed == nil, fault == .failsToRemoveNothing { throw SourceError("no such key") }
    }

    func clear(pipeline: String) async throws {
        if fault == .clearsNothing { return }
        let byPrefix = fault == .clearsByPrefix
        held.withLock { held in
            held = held.filter { byPrefix ? !$0.value.pipeline.hasPrefix(pipeline) : $0.value.pipeline != pipeline }
        }
    }

    private func name(of key: Key) -> String {
        switch fault {
        case .confusesConcatenatedKeys: key.pipeline + ":" + key.parameters.map(\.value).joined()
        case .foldsCase: key.text.lowercased()
        case .comparesTextAsUnicode: key.pipeline + key.parameters.map { "\u{1}\($0.name)\u{2}\($0.value)" }.joined()
        case .shortensLongKeys: String(key.text.prefix(255))
        default: key.text
        }
    }
}

/// An origin with one fault.
final class BrokenOrigin: Source {
    enum Fault: CaseIterable {
        case failsForMissing
        case ignoresParameters
        case trimsParameters
        case saysNotFoundWhenCancelled
        case confirmsAnything
        case misses

        /// The part of the contract that it breaks.
        var check: String {
            switch self {
            case .failsForMissing: "missing"
            case .ignoresParameters: "missing"
            case .trimsParameters: "odd keys"
            case .saysNotFoundWhenCancelled: "cancellation"
            case .confirmsAnything: "revalidation of something outdated"
            case .misses: "value"
            }
        }
    }

    static let existing = Key(pipeline: "friends", parameters: ["user": "0"])
    static let expected = Array("[1]".utf8)
    static let missing = Key(pipeline: "friends", parameters: ["user": "43"])

    private let fault: Fault
    private let clock: PipelineClock

    init(_ fault: Fault, clock: PipelineClock) {
        self.fault = fault
        self.clock = clock
    }

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        if fault == .confirmsAnything, let known = context.known { return known }
        let created = clock.now
        if Task.isCancelled {
            guard fault == .saysNotFoundWhenCancelled else { throw CancellationError() }
            return .notFound(created: created)
        }
        let isExisting =
            switch fault {
            case .ignoresParameters: true
            case .trimsParameters: key["user"].map { $0 == "0" || $0 == "00" } ?? false
            case .misses: false
            default: key == Self.existing
            }
        if isExisting { return Entry(Self.expected, created: created, etag: "\"a\"") }
        if fault == .failsForMissing { throw SourceError("status 404") }
        return nil
    }
}

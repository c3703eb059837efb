package import NIOCore
package import Pipeline
import Synchronization

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// Looks up the names of hosts: each once at a time, at most 32 at once, on threads that do nothing else. Addresses need none of it.
package final class HostNames: Sendable {
    /// The lookup that the process shares.
    package static let process = HostNames(clock: .system) { try SystemLookup.addresses(of: $0) }

    /// A name that has no address.
    package struct Unknown: Error, Equatable {
        package let name: String
    }

    typealias Answer = @Sendable (Result<[SocketAddress], any Error>) -> Void

    private struct State {
        var queue = LookupQueue()
        var waiting: [String: [UInt64: Answer]] = [:]
        var lastNumber: UInt64 = 0
    }

    private let clock: PipelineClock
    private let look: @Sendable (String) throws -> [SocketAddress]
    private let state = Mutex(State())

    /// - Parameter look: looks up one name, and blocks its thread meanwhile.
    package init(clock: PipelineClock, _ look: @escaping @Sendable (String) throws -> [SocketAddress]) {
        self.clock = clock
        self.look = look
    }

    /// Waits until the host of `url` is found, where that has a name that was not found a moment ago: a client that looks it up again then gets
    /// an answer, and holds up no other lookup on its loop.
    ///
    /// - Parameter limit: how long to wait.
    package func find(hostOf url: HTTPURL, within limit: Duration, on clock: PipelineClock) async throws {
        guard !url.hostIsAddress else { return }
        let (name, race) = (url.hostToResolve, Race<Void>())
        let number = ask(for: name, acceptingFound: true) { race.finish($0.map { _ in }) }
        do {
            try await race.value(until: clock.now + limit, on: clock) { self.leave(number, name) }
        } catch is PastLimit {
            throw ChannelError.connectTimeout(.nanoseconds(limit.saturatedNanoseconds))
        }
    }

    /// Gives the addresses of a name to `answer`, on any thread.
    ///
    /// - Parameter acceptsFound: whether a name that was found a moment ago needs no addresses: there are none then.
    @discardableResult
    func ask(for name: String, acceptingFound acceptsFound: Bool, _ answer: @escaping Answer) -> UInt64 {
        let now = clock.now
        let (number, known, begun) = state.withLock { state -> (UInt64, LookupQueue.Answer, [String]) in
            state.lastNumber += 1
            let known = state.queue.ask(for: name, acceptingFound: acceptsFound, at: now)
            if known == .wait { state.waiting[name, default: [:]][state.lastNumber] = answer }
            return (state.lastNumber, known, state.queue.begun())
        }
        switch known {
        case .found: answer(.success([]))
        case .failed, .full: answer(.failure(Unknown(name: name)))
        case .wait: break
        }
        begin(begun)
        return number
    }

    private func leave(_ number: UInt64, _ name: String) {
        state.withLock { state in
            state.waiting[name]?[number] = nil
            guard state.waiting[name]?.isEmpty == true else { return }
            state.waiting[name] = nil
            state.queue.drop(name)
        }
    }

    private func begin(_ names: [String]) {
        for name in names {
            let isStarted = LookupThread.start { [self] in end(name, Result { try look(name) }) }
            if !isStarted { end(name, .failure(Unknown(name: name))) }
        }
    }

    private func end(_ name: String, _ result: Result<[SocketAddress], any Error>) {
        let isFound = (try? result.get()) != nil
        let now = clock.now
        let (answers, begun) = state.withLock { state in
            state.queue.end(name, isFound: isFound, at: now)
            return (state.waiting.removeValue(forKey: name) ?? [:], state.queue.begun())
        }
        for answer in answers.values { answer(result) }
        begin(begun)
    }
}

/// The lookup of the system.
private enum SystemLookup {
    static func addresses(of name: String) throws -> [SocketAddress] {
        var hints = addrinfo()
        #if canImport(Glibc)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(name, nil, &hints, &first) == 0, let first else { throw HostNames.Unknown(name: name) }
        defer { freeaddrinfo(first) }
        var addresses: [SocketAddress] = []
        for info in sequence(first: first, next: \.pointee.ai_next) {
            guard let address = info.pointee.ai_addr else { continue }
            switch info.pointee.ai_family {
            case AF_INET:
                let address = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self)
                addresses.append(SocketAddress(address, host: name))
            case AF_INET6:
                let address = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self)
                addresses.append(SocketAddress(address, host: name))
            default: break
            }
        }
        return addresses
    }
}

/// A thread that looks up one name.
final class LookupThread {
    private let body: @Sendable () -> Void

    private init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    /// Starts a thread that ends with `body`. False where the system has none.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let argument = Unmanaged.passRetained(LookupThread(body))
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        let failure = pthread_create(
            &thread, nil,
            { argument in
                pthread_detach(pthread_self())
                #if canImport(Darwin)
                Unmanaged<LookupThread>.fromOpaque(argument).takeRetainedValue().body()
                #else
                if let argument { Unmanaged<LookupThread>.fromOpaque(argument).takeRetainedValue().body() }
                #endif
                return nil
            }, argument.toOpaque())
        if failure != 0 { argument.release() }
        return failure == 0
    }
}

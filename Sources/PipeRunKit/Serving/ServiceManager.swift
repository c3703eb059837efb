internal import Pipeline
internal import PipelineConfig
internal import PipelineServer

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif
private import Synchronization

/// The service manager that started this process, told how `serve` is, as sd_notify(3) says. Where `NOTIFY_SOCKET` is not set, nobody is told.
final class ServiceManager: Sendable {
    /// The state of `serve` as the service manager was told it, a pure machine.
    struct State {
        private(set) var isServing = false
        private(set) var isStopping = false
        private var reloads = 0
        private var address = ""
        private var problem: String?

        private static let ready = "READY=1"

        /// Clients can connect. A reload that began before is under way still.
        mutating func serve(on address: String, at microseconds: Int64) -> [String] {
            guard !isStopping else { return [] }
            self.address = address
            isServing = true
            return ["\(Self.ready)\nSTATUS=\(status)"] + (reloads > 0 ? [Self.reloading(at: microseconds)] : [])
        }

        /// Begins a reload, and tells each, since the manager waits for one that began after it asked for it.
        mutating func beginReload(at microseconds: Int64) -> [String] {
            reloads += 1
            return isServing && !isStopping ? [Self.reloading(at: microseconds)] : []
        }

        /// Notes the problem of a reload, nil for a configuration that was taken over; with a `problem`, the one before stays in use.
        mutating func note(_ problem: String?) {
            self.problem = problem
        }

        /// Ends a reload; the last one under way is told.
        mutating func endReload() -> [String] {
            reloads -= 1
            guard reloads == 0, isServing, !isStopping else { return [] }
            return ["STATUS=\(status)\n\(Self.ready)"]
        }

        mutating func stop() -> [String] {
            guard !isStopping else { return [] }
            isStopping = true
            return ["STOPPING=1\nSTATUS=completing the responses under way"]
        }

        private var status: String { (problem ?? "serving on \(address)").printable }

        private static func reloading(at microseconds: Int64) -> String { "RELOADING=1\nMONOTONIC_USEC=\(microseconds)" }
    }

    /// The interval in which it wants to hear that the process is alive; nil if it does not ask for that.
    let interval: Duration?
    private let state = Mutex(State())
    private let send: (@Sendable (String) -> Void)?
    private let clock: PipelineClock

    /// - Parameters:
    ///   - send: sends a message; nil if nobody listens.
    ///   - interval: the time without a sign of life after which the process counts as dead.
    init(clock: PipelineClock = .system, interval: Duration? = nil, sending send: (@Sendable (String) -> Void)?) {
        self.clock = clock
        self.send = send
        self.interval = send == nil ? nil : interval
    }

    /// The one that the environment names.
    static func ofProcess() -> ServiceManager {
        let names = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]
        let variables = names.map { name in getenv(name).map { String(cString: $0) } ?? "" }
        guard !variables[0].isEmpty else { return ServiceManager(sending: nil) }
        // One that is set for another process is not for this one.
        let isMeant = variables[2].isEmpty || variables[2] == "\(getpid())"
        let microseconds = isMeant ? Int64(variables[1]) ?? 0 : 0
        let socket = NotificationSocket(variables[0]) { Console.say("the service manager was not told: \($0)") }
        return ServiceManager(interval: microseconds > 0 ? .microseconds(microseconds) : nil) { socket.send($0) }
    }

    func serving(on address: String) { tell { $0.serve(on: address, at: Self.microseconds) } }
    func beginReload() { tell { $0.beginReload(at: Self.microseconds) } }
    func note(_ problem: String?) { state.withLock { $0.note(problem) } }
    func endReload() { tell { $0.endReload() } }
    func stopping() { tell { $0.stop() } }

    /// Says at half of the interval that the process is alive, until the task is cancelled. `turn` returns when what answers clients has come
    /// around: while it does not, nothing is said.
    func keepAlive(_ turn: () async throws -> Void) async {
        guard let interval else { return }
        var next = clock.now
        while (try? await turn()) != nil {
            send?("WATCHDOG=1")
            next = max(clock.now, next + interval / 2)
            guard (try? await clock.sleep(until: next)) != nil else { return }
        }
    }

    /// Messages leave in the order in which the state came to them.
    private func tell(_ change: (inout State) -> [String]) {
        guard let send else { return }
        state.withLock { for message in change(&$0) { send(message) } }
    }

    /// The clock by which the manager compares when it asked with when a reload began.
    private static var microseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}

/// A socket of datagrams in the file system, or with `@` in Linux's abstract names.
private final class NotificationSocket: Sendable {
    private let name: String
    private let fail: @Sendable (String) -> Void
    private let hasFailed = Atomic(false)

    /// - Parameter fail: gets the reason why a message could not be sent, once.
    init(_ name: String, failing fail: @escaping @Sendable (String) -> Void) {
        self.name = name
        self.fail = fail
    }

    func send(_ message: String) {
        guard let reason = failure(message), !hasFailed.exchange(true, ordering: .relaxed) else { return }
        fail(reason)
    }

    /// The reason why `message` was not sent; nil if it was.
    private func failure(_ message: String) -> String? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var path = Array(name.utf8)
        guard let first = path.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "@"),
            path.count < MemoryLayout.size(ofValue: address.sun_path)
        else { return "`\(name.printable)` in NOTIFY_SOCKET is no socket of this machine" }
        if first == UInt8(ascii: "@") { path[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        #if canImport(Glibc)
        let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
        #else
        let kind = SOCK_DGRAM
        #endif
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { return Self.reason }
        defer { close(descriptor) }
        // A manager that does not read must not hold up what answers clients.
        var limit = timeval(tv_sec: 1, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let length = socklen_t(MemoryLayout.size(ofValue: address) - MemoryLayout.size(ofValue: address.sun_path) + path.count)
        let bytes = Array(message.utf8)
        let sent = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { sendto(descriptor, bytes, bytes.count, 0, $0, length) }
        }
        return sent == bytes.count ? nil : Self.reason
    }

    private static var reason: String { String(cString: strerror(errno)).lowercased() }
}

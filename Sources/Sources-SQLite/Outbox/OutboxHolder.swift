internal import Pipeline
#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// A process as the holder of an outbox's lease, named so that others can tell that it has ended.
struct OutboxHolder: Sendable, Equatable {
    /// The number of the process.
    let process: Int32
    /// When it was started, in ticks of the machine; nil where the system does not say.
    let start: UInt64?
    /// The machine, since it was started last, and the space in which it counts processes; nil where the system does not say.
    let machine: String?
    /// Tells it from other holders in the same process.
    let instance: String

    /// A holder in this process.
    init() { self.init(process: getpid()) }

    /// A holder in a process of this machine.
    init(process: Int32) {
        self.process = process
        start = ProcessStatus(of: process)?.start
        machine = Self.thisMachine
        instance = UniqueName.next()
    }

    /// The holder of this name; nil for a text that is none.
    init?(_ name: String) {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4, let process = Int32(parts[0]), process > 0 else { return nil }
        (self.process, start, instance) = (process, UInt64(parts[1]), parts[3])
        machine = parts[2].isEmpty ? nil : parts[2]
    }

    /// The name: `4711.882231.8f3c09d2a1b4e576.k3j2-x9`.
    var name: String { "\(process).\(start.map { "\($0)" } ?? "").\(machine ?? "").\(instance)" }

    /// Indicates whether the process has ended for certain: never for one of another machine or container.
    var hasEnded: Bool {
        guard let machine, machine == Self.thisMachine else { return false }
        if kill(process, 0) != 0, errno == ESRCH { return true }
        // The process may be of another user, or a later one that has the number now.
        guard let status = ProcessStatus(of: process) else { return false }
        return status.hasEnded || start != nil && start != status.start
    }

    /// The machine, as a hash. The same number means another process in another container, and after a restart of the machine.
    private static let thisMachine: String? = {
        #if os(Linux)
        guard let boot = ProcessStatus.text(ofFile: "/proc/sys/kernel/random/boot_id"), let space = link("/proc/self/ns/pid")
        else { return nil }
        // Where it is missing, all processes count time alike.
        let parts = [boot, space, link("/proc/self/ns/time") ?? ""]
        #else
        var size = 0
        guard sysctlbyname("kern.bootsessionuuid", nil, &size, nil, 0) == 0, size > 1 else { return nil }
        var bytes = [UInt8](repeating: 0, count: size)
        guard sysctlbyname("kern.bootsessionuuid", &bytes, &size, nil, 0) == 0 else { return nil }
        let parts = [String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)]
        #endif
        return KeyHash.digits(of: KeyHash.hash(of: parts.joined(separator: "\n")))
    }()

    /// Where a symbolic link of the system leads; nil if there is none.
    private static func link(_ path: String) -> String? {
        var bytes = [CChar](repeating: 0, count: 256)
        let count = readlink(path, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }
}

/// What Linux says of a process in `/proc/NUMBER/stat` (proc_pid_stat(5)).
struct ProcessStatus: Sendable, Equatable {
    /// When it was started, in ticks of the machine.
    let start: UInt64
    /// Indicates whether it has ended, and only its parent has not asked how. A process whose first thread alone has ended goes on.
    let hasEnded: Bool

    /// The status of a process; nil if there is none, or the system does not say.
    init?(of process: Int32) {
        guard let line = Self.text(ofFile: "/proc/\(process)/stat") else { return nil }
        self.init(line)
    }

    /// The status in a line of that file; nil for any other text.
    init?(_ line: String) {
        // The second field is the name of the program, in which anything can stand.
        guard let end = line.lastIndex(of: ")") else { return nil }
        let fields = line[line.index(after: end)...].split(separator: " ")
        guard fields.count > 19, let threads = Int(fields[17]), let start = UInt64(fields[19]) else { return nil }
        self.start = start
        hasEnded = ["Z", "X", "x"].contains(fields[0]) && threads <= 1
    }

    /// The text of a small file of the system's; nil if it cannot be read.
    static func text(ofFile path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { _ = close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = read(descriptor, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }
}

import Foundation

/// What a run of `pipe-run` asked of the system, as strace tells it, as far as it could leave a trace.
struct SystemCalls {
    /// What a call could leave a trace on.
    enum Kind {
        /// Files, folders, their names and attributes.
        case disk
        /// Sockets.
        case network
    }

    let ran: Ran
    let calls: [(kind: Kind, line: String)]

    /// The calls of one kind.
    func lines(_ kind: Kind) -> [String] { calls.filter { $0.kind == kind }.map(\.line) }

    /// Runs `pipe-run` under strace.
    static func of(
        _ arguments: [String], in folder: WorkFolder, environment: [String: String] = [:], input: [UInt8] = []
    ) async throws -> SystemCalls {
        let place = try WorkFolder()
        let file = place.url.appending(path: "calls").path
        let observer = ["strace", "-f", "-qq", "-y", "-s", "0", "-o", file, "-e", "trace=%file,%desc,%network,%process"]
        let process = try PipeRunProcess(arguments, in: folder, environment: environment, input: input, under: observer)
        let ran = try await process.ran()
        let lines = (place.read("calls") ?? "").split(separator: "\n").map(String.init)
        // Without it the process was not looked at, and nothing that is not seen proves anything.
        guard let first = lines.first, first.contains("execve(") else {
            throw TooLong(
                description: "strace could not look at the process (scripts/setup installs it; ptrace must be allowed): \(ran.errors)")
        }
        return SystemCalls(ran: ran, calls: lines.compactMap { line in kind(of: line).map { ($0, line) } })
    }

    private static let changing: Set<String> = [
        "mkdir", "mkdirat", "rmdir", "unlink", "unlinkat", "rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat",
        "mknod", "mknodat", "creat", "truncate", "ftruncate", "fallocate", "chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown",
        "lchown", "fchownat", "utime", "utimes", "utimensat", "futimesat", "setxattr", "lsetxattr", "fsetxattr", "removexattr",
        "lremovexattr", "fremovexattr", "flock", "fsync", "fdatasync", "sync_file_range", "copy_file_range", "sendfile", "splice",
        "mount", "umount2", "chroot", "pivot_root", "io_uring_setup",
    ]

    private static let networking: Set<String> = [
        "socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "sendto", "sendmsg", "sendmmsg", "recvfrom", "recvmsg",
        "getsockname", "getpeername", "setsockopt", "getsockopt", "shutdown",
    ]

    private static func kind(of line: String) -> Kind? {
        guard let call = line.firstMatch(of: /^\d+\s+(\w+)\(/) else { return nil }
        switch String(call.1) {
        case let name where changing.contains(name): return .disk
        case let name where networking.contains(name): return .network
        case "open", "openat", "openat2":
            return line.contains(/O_(WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)/) ? .disk : nil
        case "write", "writev", "pwrite64", "pwritev", "pwritev2":
            guard let target = line.firstMatch(of: /\(([0-9]+)<(.*?)>[,\]]/) else { return .disk }
            // Threads of one process wake each other with these.
            if target.2.hasPrefix("anon_inode:[eventfd]") || ["1", "2"].contains(target.1) { return nil }
            return target.2.contains(/^(TCP|UDP|UNIX|NETLINK|socket:)/) ? .network : .disk
        default: return nil
        }
    }
}

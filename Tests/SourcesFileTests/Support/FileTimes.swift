import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Sets the times of a file as another program would.
enum FileTimes {
    static func set(modified: Int64, of path: String) {
        let time = timespec(tv_sec: .init(modified / 1_000_000_000), tv_nsec: .init(modified % 1_000_000_000))
        _ = utimensat(AT_FDCWD, path, [time, time], 0)
    }
}

/// Ends this process as a crash would: nothing is cleaned up.
func killThisProcess() {
    kill(getpid(), SIGKILL)
}

let killSignal = SIGKILL

func makeFIFO(at path: String) -> Bool { mkfifo(path, 0o600) == 0 }

func makeSocket(at path: String) -> Bool {
    #if canImport(Darwin)
    let socket = socket(AF_UNIX, SOCK_STREAM, 0)
    #else
    let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    defer { close(socket) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    return withUnsafePointer(to: address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 }
    }
}

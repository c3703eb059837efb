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

import Pipeline

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Processes by their number.
enum Processes {
    /// Whether `process` is gone within ten seconds: looks again and again, since nothing tells of a stranger's end.
    static func isGone(_ process: Int32) async -> Bool {
        await comesTrue { !isAlive(process) }
    }

    /// Ends `process`, which a program of a test has left behind.
    static func end(_ process: Int32) { kill(process, SIGKILL) }

    static func comesTrue(_ condition: () -> Bool) async -> Bool {
        let end = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < end {
            if condition() { return true }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return condition()
    }

    /// A process that was not waited for yet has ended all the same.
    static func isAlive(_ process: Int32) -> Bool {
        guard kill(process, 0) == 0 else { return false }
        #if os(Linux)
        guard let file = fopen("/proc/\(process)/stat", "r") else { return false }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 512)
        let text = String(decoding: bytes.prefix(fread(&bytes, 1, bytes.count, file)), as: UTF8.self)
        return text.split(separator: ")").last.map { !$0.hasPrefix(" Z") && !$0.hasPrefix(" X") } ?? false
        #else
        return true
        #endif
    }
}

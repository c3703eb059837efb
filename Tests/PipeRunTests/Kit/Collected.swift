import Foundation

/// The bytes that come out of a file descriptor, collected by a thread until it is closed.
final class Collected: @unchecked Sendable {  // All state is guarded by `condition`.
    private let condition = NSCondition()
    private var bytes: [UInt8] = []
    private var isAtEnd = false
    private var isHeld = false

    init(_ descriptor: Int32) {
        Thread.detachNewThread { self.collect(descriptor) }
    }

    /// Takes nothing more, until ``release()``.
    func hold() { condition.withLock { isHeld = true } }

    func release() {
        condition.withLock {
            isHeld = false
            condition.broadcast()
        }
    }

    /// All bytes, once the other side has closed.
    func all() throws -> [UInt8] {
        try wait(for: "the end of the output") { isAtEnd ? bytes : nil }
    }

    /// What has come up to now.
    var text: String { condition.withLock { String(decoding: bytes, as: UTF8.self) } }

    /// What `find` finds in the text, as soon as it is there.
    func first<Value>(_ find: (String) -> Value?) throws -> Value {
        try wait(for: "what it prints") { find(String(decoding: bytes, as: UTF8.self)) }
    }

    private func wait<Value>(for what: String, _ value: () -> Value?) throws -> Value {
        condition.lock()
        defer { condition.unlock() }
        let limit = Date(timeIntervalSinceNow: patience)
        while true {
            if let value = value() { return value }
            guard !isAtEnd, condition.wait(until: limit) else {
                throw TooLong(description: "waited in vain for \(what): \(String(decoding: bytes, as: UTF8.self))")
            }
        }
    }

    private func collect(_ descriptor: Int32) {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            condition.withLock {
                if count > 0 { bytes += chunk[..<count] } else { isAtEnd = true }
                condition.broadcast()
                while isHeld { condition.wait() }
            }
            guard count > 0 else { break }
        }
        close(descriptor)
    }
}

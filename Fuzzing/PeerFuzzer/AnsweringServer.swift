private import Glibc

/// A server on a free loopback port that answers each request with the next of its answers, whatever was asked. It works where it is called.
final class AnsweringServer: Sendable {
    let port: Int
    private let listener: CInt

    /// How long a connection waits for a next request, in milliseconds.
    private static let patience: CInt = 20

    init() {
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 128) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        require(isListening, "no free port: \(errno)")
        port = Int(UInt16(bigEndian: address.sin_port))
        self.listener = listener
    }

    /// Gives `answers` to the requests of `work`, in order, until it has ended; the last one to all that follow. A connection ends with the
    /// last answer, and when nothing is asked on it.
    ///
    /// - Parameter end: what each request ends with.
    func serve(_ answers: [[UInt8]], toRequestsEndingWith end: [UInt8], until work: Work) {
        var next = 0
        while !work.hasEnded {
            guard isReadable(listener, within: 1) else { continue }
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { continue }
            var isOpen = true
            while isOpen, takeRequest(endingWith: end, on: connection) {
                let isLast = next >= answers.count - 1
                isOpen = send(answers[min(next, answers.count - 1)], on: connection) && !isLast
                next += 1
            }
            // What the client still sends must not make the system reset the connection before it has read the answer.
            shutdown(connection, CInt(SHUT_WR))
            drain(connection, until: work)
            close(connection)
        }
    }

    /// Whether a whole request came.
    private func takeRequest(endingWith end: [UInt8], on connection: CInt) -> Bool {
        var received: [UInt8] = []
        while true {
            guard let bytes = receive(from: connection, within: Self.patience), !bytes.isEmpty else { return false }
            received += bytes
            if received.suffix(end.count).elementsEqual(end) { return true }
        }
    }

    private func drain(_ connection: CInt, until work: Work) {
        while !work.hasEnded {
            guard let bytes = receive(from: connection, within: 1) else { continue }
            if bytes.isEmpty { return }
        }
    }

    private func send(_ bytes: [UInt8], on connection: CInt) -> Bool {
        Glibc.send(connection, bytes, bytes.count, CInt(MSG_NOSIGNAL)) == bytes.count
    }

    /// Nil when nothing came within so many milliseconds; no bytes at the end of the connection.
    private func receive(from connection: CInt, within milliseconds: CInt) -> [UInt8]? {
        guard isReadable(connection, within: milliseconds) else { return nil }
        return [UInt8](unsafeUninitializedCapacity: 4_096) { buffer, count in
            count = max(0, recv(connection, buffer.baseAddress, buffer.count, 0))
        }
    }

    private func isReadable(_ descriptor: CInt, within milliseconds: CInt) -> Bool {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&polled, 1, milliseconds) > 0
    }
}

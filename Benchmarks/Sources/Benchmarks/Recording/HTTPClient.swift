import Glibc

/// A connection to a server on this machine that does no more than it must: one request, and its answer read to the end of the body.
struct HTTPClient {
    private let descriptor: Int32

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError("make a socket", errno) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else {
            let problem = SystemError("connect", errno)
            close()
            throw problem
        }
        var isOn: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
    }

    func close() { _ = Glibc.close(descriptor) }

    /// Throws unless the status is 200.
    func get(_ path: String) throws {
        let request = Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else { throw SystemError("send", errno) }
        var answer = [UInt8](repeating: 0, count: 4_096)
        var length = 0
        while true {
            let count = answer.withUnsafeMutableBytes { bytes in
                recv(descriptor, bytes.baseAddress.map { $0 + length }, bytes.count - length, 0)
            }
            guard count > 0 else { throw SystemError("receive", errno) }
            length += count
            // The body is the JSON array of the origin, and nothing before it ends so.
            if answer[length - 1] == UInt8(ascii: "]") { break }
        }
        guard answer.starts(with: "HTTP/1.1 200".utf8) else { throw SystemError("get \(path)", EPROTO) }
    }
}

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif
internal import NIOCore

/// Why the server does not run, in words for people.
package struct ListenFailure {
    package let message: String
    package let help: String?

    package init(_ error: any Error, host: String, port: Int) {
        let place = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        if let (reason, help) = Self.words(for: error, port: port) {
            (message, self.help) = ("cannot listen on \(place): \(reason)", help)
        } else {
            (message, help) = ("the server ended: \(error)", nil)
        }
    }

    private static func words(for error: any Error, port: Int) -> (String, String?)? {
        switch error {
        case let error as IOError:
            switch error.errnoCode {
            case EADDRINUSE: ("the port is in use", "`--port 0` takes a free one")
            case EADDRNOTAVAIL:
                ("it is not an address of this machine", "`--host 127.0.0.1` serves this machine, `--host 0.0.0.0` all others, too")
            case EACCES: ("not permitted", port < 1024 ? "ports below 1024 are for the superuser; `--port 8080` is free to all" : nil)
            default: (String(cString: strerror(error.errnoCode)).lowercased(), nil)
            }
        case is SocketAddressError, is SocketAddressError.UnknownHost:
            ("the host is unknown", "`--host` takes an address of this machine, such as 127.0.0.1")
        default: nil
        }
    }
}

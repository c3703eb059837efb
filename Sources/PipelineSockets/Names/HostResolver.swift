package import NIOCore
import NIOPosix
import Synchronization

/// Answers a connection of ours with the addresses of its host: from ``HostNames``, and for an address nothing.
package final class HostResolver: Resolver, Sendable {
    private let names: HostNames
    private let loop: any EventLoop
    /// The results of the lookup: IPv6, and IPv4.
    private let found = Mutex<(EventLoopFuture<[SocketAddress]>, EventLoopFuture<[SocketAddress]>)?>(nil)

    /// Makes a resolver for one connection on `loop`.
    package init(on loop: any EventLoop, names: HostNames = .process) {
        self.loop = loop
        self.names = names
    }

    package func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { addresses(host, port).0 }

    package func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { addresses(host, port).1 }

    /// Does nothing: a lookup cannot be called off, and what it gives is remembered.
    package func cancelQueries() {}

    private func addresses(_ host: String, _ port: Int) -> (EventLoopFuture<[SocketAddress]>, EventLoopFuture<[SocketAddress]>) {
        if let known = found.withLock(\.self) { return known }
        let (six, four) = (loop.makePromise(of: [SocketAddress].self), loop.makePromise(of: [SocketAddress].self))
        found.withLock { $0 = (six.futureResult, four.futureResult) }
        let answer: HostNames.Answer = { [loop] result in
            let addresses = result.map { all in
                all.map { address in
                    var address = address
                    address.port = port
                    return address
                }
            }
            // Both in one turn of the loop.
            loop.execute {
                six.completeWith(addresses.map { $0.filter { $0.protocol == .inet6 } })
                four.completeWith(addresses.map { $0.filter { $0.protocol == .inet } })
            }
        }
        if let address = try? SocketAddress(ipAddress: host, port: port) {
            answer(.success([address]))
        } else {
            names.ask(for: host, acceptingFound: false, answer)
        }
        return (six.futureResult, four.futureResult)
    }
}

import NIOCore
package import NIOPosix
internal import Pipeline
internal import PipelineConfig
import Synchronization

/// The event loops that connections to hosts run on.
///
/// A loop looks up one name at a time. So each name has a loop of its own, up to a bound; names above it share one with others. Names that have no
/// answer are kept from them by ``HostNames``. Addresses need no lookup, and use the loops of the process.
///
/// The loops run until the process ends: a lookup cannot be called off, and its answer needs the loop that asked.
package final class HostLoops: Sendable {
    /// The loops of the process; each has three descriptors of its own.
    package static let process = HostLoops(limit: max(1, min(16, DescriptorBudget.process.most / 16)))
    /// The loops of connections on which servers send whenever they want: none of them answers clients.
    package static let live = HostLoops(
        limit: max(1, min(4, DescriptorBudget.process.most / 16)), addresses: MultiThreadedEventLoopGroup(numberOfThreads: 1))

    private struct State {
        var numbers: [String: Int] = [:]
        var loops: [MultiThreadedEventLoopGroup] = []
    }

    private let limit: Int
    private let addresses: MultiThreadedEventLoopGroup
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: the most loops; at least one.
    ///   - addresses: where connections to addresses run.
    package init(limit: Int, addresses: MultiThreadedEventLoopGroup = .singleton) {
        self.limit = limit
        self.addresses = addresses
    }

    /// The loops on which connections to the host of `url` run.
    package func group(for url: HTTPURL) -> MultiThreadedEventLoopGroup {
        let name = url.hostToResolve
        guard !url.hostIsAddress else { return addresses }
        return state.withLock { state in
            if let number = state.numbers[name] { return state.loops[number] }
            guard state.loops.count < limit else { return state.loops[Int(UInt(bitPattern: name.hashValue) % UInt(limit))] }
            state.numbers[name] = state.loops.count
            let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            state.loops.append(loop)
            return loop
        }
    }
}

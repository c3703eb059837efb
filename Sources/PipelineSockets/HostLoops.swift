import NIOCore
package import NIOPosix
internal import Pipeline
internal import PipelineConfig
import Synchronization

/// The event loops that connections to hosts run on.
///
/// A loop looks up one name at a time, and a name server that does not answer holds a lookup for ten seconds and more. So each name has a
/// loop of its own, up to a bound; names above it share one with others. Addresses need no lookup, and use the loops of the process.
///
/// The loops run until the process ends: a lookup cannot be called off, and its answer needs the loop that asked.
package final class HostLoops: Sendable {
    /// Those of the process; each has three descriptors of its own.
    package static let process = HostLoops(limit: max(1, min(16, DescriptorBudget.process.most / 16)))

    private struct State {
        var numbers: [String: Int] = [:]
        var loops: [MultiThreadedEventLoopGroup] = []
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: the most loops; at least one.
    package init(limit: Int) {
        self.limit = limit
    }

    /// Where connections to the host of `url` run.
    package func group(for url: HTTPURL) -> MultiThreadedEventLoopGroup {
        let name = url.hostToResolve
        guard !url.hostIsAddress else { return .singleton }
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

package import Logging
internal import Pipeline
internal import PipelineJSON
package import PipelineNetwork

/// Writes what happens at origins to a logger: an origin or a source that rests is a warning, all else `debug`. Ends when it is
/// released.
package final class OriginLog: Sendable {
    private let origins: OriginControllers
    private let observation: UInt64

    /// Writes to `logger` from now on.
    package init(_ logger: Logger, of origins: OriginControllers = .shared) {
        self.origins = origins
        observation = origins.observe { origin, event in
            let now = PipelineClock.system.now
            func milliseconds(until moment: Timestamp) -> Logger.MetadataValue {
                .string(JSONText.milliseconds(max(.zero, moment.duration(since: now)).milliseconds).text)
            }
            var metadata: Logger.Metadata = ["origin": .string(origin.description)]
            switch event {
            case .rested(let end, let source):
                metadata.merge(["outcome": "rested", "ms": milliseconds(until: end)]) { $1 }
                if let source { metadata["source"] = .string(source) }
            case .limited(let limit): metadata.merge(["outcome": "limited", "limit": .stringConvertible(limit)]) { $1 }
            case .hedgingPaused(let end): metadata.merge(["outcome": "hedging paused", "ms": milliseconds(until: end)]) { $1 }
            }
            logger.log(level: event.level, "origin", metadata: metadata)
        }
    }

    deinit {
        origins.stopObserving(observation)
    }
}

extension OriginEvent {
    fileprivate var level: Logger.Level {
        switch self {
        case .rested: .warning
        case .limited, .hedgingPaused: .debug
        }
    }
}

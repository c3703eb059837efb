import Synchronization

/// What the pipelines of one configuration have in common beside their sources.
package final class Commons: Sendable {
    package let clock: PipelineClock
    package let random: RandomGenerator
    package let redactor: Redactor
    package let observer: PipelineEvent.Observer?
    package let closing = Closing()
    /// One of each kind.
    private let members = Mutex<[ObjectIdentifier: any AnyObject & Sendable]>([:])

    init(clock: PipelineClock, random: RandomGenerator, redactor: Redactor, observers: [PipelineEvent.Observer]) {
        (self.clock, self.random, self.redactor) = (clock, random, redactor)
        observer = Self.united(observers)
    }

    /// The one of its kind, which is made when it is first asked for.
    package func member<Member: AnyObject & Sendable>(orMake make: () -> Member) -> Member {
        let id = ObjectIdentifier(Member.self)
        if let known = members.withLock({ $0[id] }) as? Member { return known }
        let new = make()
        return members.withLock { members in
            if let known = members[id] as? Member { return known }
            members[id] = new
            return new
        }
    }

    private static func united(_ observers: [PipelineEvent.Observer]) -> PipelineEvent.Observer? {
        guard let first = observers.first, observers.count > 1 else { return observers.first }
        return { [others = observers.dropFirst()] event in
            first(event)
            for observer in others { observer(event) }
        }
    }
}

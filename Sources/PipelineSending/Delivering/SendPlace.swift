package import Pipeline

/// Where a send stands among the others of its outbox.
package struct SendPlace: Sendable, Equatable {
    /// The rules of its kind.
    package let rules: SendRules
    /// The name of the source that it goes to.
    package let target: String
    /// Its lanes: it waits for each of a smaller number in one of them.
    package let lanes: Set<String>
    /// What is the same in two sends of which the later one can take the place of the earlier one: the name, the arguments, the targets.
    package let likeness: String
    /// What is the same in two sends that change the same items, of whatever kind; nil if it changes none.
    package let item: String?
    /// The temporary ids that it names.
    package internal(set) var needs: Set<String>
    /// Indicates whether its payload is a merge patch, which does not say all of the item.
    package let isPatch: Bool

    package init(
        _ rules: SendRules, to target: String, lanes: Set<String>, likeness: String, item: String? = nil, needs: Set<String> = [],
        isPatch: Bool = false
    ) {
        (self.rules, self.target, self.lanes, self.needs) = (rules, target, lanes, needs)
        (self.likeness, self.item, self.isPatch) = (likeness, item, isPatch)
    }
}

/// The rules of a kind of send, as far as they decide when one goes out and what becomes of it.
package struct SendRules: Sendable, Equatable {
    package var priority = Priority.high
    package var debounce = Duration.zero
    package var maxDelay = Duration.zero
    package var replacesUntried = false
    package var retry = SendRetry()
    package var expires: Duration?
    package var repetition = SendRepetition.never
    package var idLifetime = Duration.seconds(86_400)
    package var hasCondition = false
    package var onConflict = ConflictRule.fail

    package init() {}

    /// The rules of `spec`, whose target repeats so.
    package init(_ spec: SendSpec, repeating repetition: SendRepetition) {
        (priority, debounce, replacesUntried, retry) = (spec.priority, spec.debounce, spec.replacesUntried, spec.retry)
        maxDelay = spec.maxDelay ?? spec.debounce * 10
        (expires, idLifetime, onConflict) = (spec.expires, spec.idLifetime, spec.onConflict)
        // An id that does not go out makes nothing repeatable.
        self.repetition = repetition == .byID && spec.idHeader == nil ? .never : repetition
        hasCondition = spec.condition != .none
    }
}

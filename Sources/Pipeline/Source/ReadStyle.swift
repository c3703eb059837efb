/// How a source answers a read. It decides how a fetch waits, and changes no outcome.
///
/// New cases may come: switch with a `default`.
public enum ReadStyle: Sendable {
    /// At once, as memory does: ``Source/peek(_:)`` must not block. No time limit applies, and a hit takes no task.
    case immediate
    /// On the calling thread, in less time than a change of threads would take, as a file that the system has at hand.
    ///
    /// A fetch without a time limit calls ``Source/peek(_:)`` on its thread. Nothing ends such a read, so a fetch with a time limit calls
    /// ``Source/read(_:_:)`` instead.
    case onThread
    /// By suspending, and never for longer than the deadline of the ``ReadContext``.
    ///
    /// The read throws at once when its deadline passes or its task is cancelled, wherever it waits, and never blocks its thread. It
    /// therefore needs no task of its own.
    case punctual
    /// By suspending. At the deadline the read is cancelled and left behind.
    case suspending
}

extension ReadStyle {
    /// Whether ``Source/peek(_:)`` answers.
    var peeks: Bool { self == .immediate || self == .onThread }
}

/// What a process receives through its subscription to the messages of others.
///
/// New cases may come: switch with a `default`.
public enum SubscriptionEvent: Sendable, Hashable {
    /// From now on every message arrives. Those published before this moment, or before it and since the last, may have been missed.
    case began
    /// The source was reached and refuses the subscription for this reason: a sentence part, lower case, without a full stop. It holds until
    /// the next beginning.
    case refused(String)
    /// Another process published a message.
    case received(InvalidationMessage)
}

/// What a load came to: one for all who waited for it.
final class Landing: Sendable {
    let reply: LoadReply

    init(_ reply: LoadReply) {
        self.reply = reply
    }
}

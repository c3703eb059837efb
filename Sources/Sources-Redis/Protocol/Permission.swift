import Pipeline

/// A task of the server, for a field of the file, beyond keeping copies.
struct Permission: Sendable {
    /// The field that asks for it; nil for what every cache does.
    var field: String?
    /// Completes `the server does not let this user …`.
    let deed: String
    /// The rules of an access list that allow it, as `ACL SETUSER` takes them.
    let rules: String

    /// The meaning of an error reply to a command that needs it.
    func refusal(_ reply: String, from server: String) -> SourceError {
        if Self.isDenial(reply) {
            return SourceError(
                "\(server) does not let this user \(deed)", kind: .refused,
                help: "give the user the rules `\(rules)` (`ACL SETUSER`)" + (field.map { ", or leave out `\($0)`" } ?? ""))
        }
        let error = SourceError(reply, from: server)
        guard reply.hasPrefix("ERR unknown command") else { return error }
        return SourceError(
            error.reason, kind: .refused, help: (field.map { "leave out `\($0)`, or " } ?? "") + "have the server know the command",
            cause: error.cause)
    }

    /// A script that may not do all that it does is told in words that changed with the versions.
    private static func isDenial(_ reply: String) -> Bool {
        reply.hasPrefix("NOPERM") || reply.hasPrefix("ERR The user executing the script") || reply.contains("ACL failure in script")
    }
}

extension KeySpace {
    /// The permission to receive what others publish.
    var subscribing: Permission {
        Permission(
            field: "invalidation", deed: "subscribe to the channel `\(channel.shortened)`",
            rules: "+subscribe &\(GlobPattern.rule(for: channel).shortened)")
    }

    /// The permission to publish.
    var publishing: Permission {
        Permission(
            field: "invalidation", deed: "publish on the channel `\(channel.shortened)`",
            rules: "+publish &\(GlobPattern.rule(for: channel).shortened)")
    }

    /// The permission to take leases and to give them back.
    var leasing: Permission {
        Permission(
            field: "shared_flight", deed: "take a lease with a script",
            rules: "+eval +get +set +pttl +unlink \(keys)")
    }

    /// The permission to renew the times of a copy without its payload. Without it, all of the copy is written.
    var renewing: Permission {
        Permission(
            deed: "renew a copy with a script, so that every renewal sends the whole payload",
            rules: "+eval +getrange +strlen +setrange +set +pexpire +persist \(keys)")
    }

    /// The permission to list copies.
    var listing: Permission {
        Permission(deed: "list copies, as `pipe-run list` does", rules: "+scan +strlen +getrange \(keys)")
    }

    private var keys: String { "~\(GlobPattern.rule(for: prefix).shortened)*" }
}

extension GlobPattern {
    /// `text` as people write it in a rule: escaped only where it has to be.
    fileprivate static func rule(for text: String) -> String {
        text.utf8.contains { "*?[\\".utf8.contains($0) } ? literal(text) : text
    }
}

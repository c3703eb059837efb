import Pipeline

extension SourceError {
    /// The meaning of a server's error reply, in words for people. `server` is its host and port.
    init(_ reply: String, from server: String) {
        let code = reply.prefix { $0 != " " }
        switch code {
        case "NOAUTH": self.init("\(server) requires a password", kind: .refused)
        case "WRONGPASS": self.init("\(server) refuses the user name or the password", kind: .refused)
        case "NOPERM": self.init("\(server) does not allow it to this user: \(Self.words(of: reply, after: code))", kind: .refused)
        case "DENIED": self.init("\(server) is in protected mode: it takes other machines only with a password", kind: .refused)
        case "WRONGTYPE": self.init("the key holds something else than a copy", kind: .invalid)
        case "LOADING": self.init("\(server) is still loading its data")
        case "OOM": self.init("\(server) is out of memory: it is over its maxmemory")
        case "READONLY": self.init("\(server) is a replica, which cannot be written")
        case "MASTERDOWN": self.init("\(server) is a replica that has lost its master")
        case "MISCONF": self.init("\(server) takes no writes, because it cannot save to its disk")
        case "BUSY": self.init("\(server) is busy with a script")
        case "MOVED", "ASK", "CLUSTERDOWN", "CROSSSLOT", "TRYAGAIN":
            self.init("\(server) is a node of a cluster, and clusters are not supported")
        default: self = Self.general(reply, from: server)
        }
    }

    /// Errors without a code of their own.
    private static func general(_ reply: String, from server: String) -> SourceError {
        if reply.hasPrefix("ERR invalid password") { return SourceError("\(server) refuses the user name or the password", kind: .refused) }
        if reply.hasPrefix("ERR AUTH") || reply.hasPrefix("ERR Client sent AUTH") {
            return SourceError("\(server) has no password set, and one is given", kind: .refused)
        }
        if reply.hasPrefix("ERR DB index") || reply.hasPrefix("ERR invalid DB index") {
            return SourceError(
                "\(server) has no database of that number", kind: .refused, help: "correct the number at the end of `url`, as `/0`")
        }
        if reply.hasPrefix("ERR unknown command") {
            // Its arguments follow, and of AUTH that is the password.
            let name = reply.dropFirst("ERR unknown command".count).split { " `',".contains($0) }.first ?? "it was given"
            return SourceError("\(server) does not know the command \(String(name).shortened)")
        }
        if reply.hasPrefix("ERR max number of clients") { return SourceError("\(server) has too many clients") }
        return SourceError("\(server) answered with an error: \(reply.shortened)")
    }

    private static func words(of reply: String, after code: Substring) -> String {
        String(reply.dropFirst(code.count + 1)).shortened
    }
}

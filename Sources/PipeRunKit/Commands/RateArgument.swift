internal import ArgumentParser

/// A rate on the command line: `200/s`, `12000/m`.
enum RateArgument {
    /// Requests in a second.
    static func rate(_ argument: String) throws -> Double {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
        let seconds: [Substring: Double] = ["s": 1, "m": 60, "h": 3600]
        guard 1...2 ~= parts.count, let count = parts.first.flatMap({ Double($0) }), count.isFinite, count > 0,
            let unit = seconds[parts.count == 2 ? parts[1] : "s"]
        else { throw ValidationError("`\(argument)` is not a rate, such as `200/s` or `12000/m`") }
        return count / unit
    }
}

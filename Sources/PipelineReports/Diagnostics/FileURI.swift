internal import Pipeline

/// A file as code scanning and pull requests name it.
package enum FileURI {
    /// A URI reference (RFC 3986) with forward slashes: relative as it was named, absolute with its scheme.
    static func of(_ path: String) -> String {
        (path.hasPrefix("/") ? "file://" : "") + PercentEncoding.path.encoded(withoutDot(path))
    }

    /// `conf/a.yaml` from `./conf/a.yaml`: viewers compare the texts.
    static func withoutDot(_ path: String) -> String {
        var rest = path[...]
        while rest.hasPrefix("./"), rest.utf8.count > 2 { rest = rest.dropFirst(2).drop { $0 == "/" } }
        return rest.isEmpty ? path : String(rest)
    }
}

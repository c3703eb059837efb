internal import PipelineConfig
internal import PipelineJSON

/// The spelling of values as regular expressions of ECMA-262, without flags and without what other engines read differently.
enum SchemaPattern {
    /// A string of which `pattern` is true.
    static func string(_ pattern: String) -> [(String, JSONText)] {
        [("type", .string("string")), ("pattern", .string(pattern))]
    }

    /// A `${` that is not the end of `$${`.
    static let variable = #"(?:^|[^$])(?:\$\$)*\$\{"#

    private static let decimal = #"[0-9]+(?:\.[0-9]+)?"#
    private static let hasDigitAboveZero = "(?=.*[1-9])"

    /// `1h30m`: the units descend. `0` needs none.
    static func duration(excludesZero: Bool) -> String {
        let parts = ["d", "h", "m", "s", "ms", "(?:us|µs)", "ns"].map { "(?:\(decimal)\($0))?" }.joined()
        return excludesZero ? "^(?=[0-9])\(hasDigitAboveZero)\(parts)$" : "^(?=[0-9])(?:0+|\(parts))$"
    }

    /// `64MiB`, or a number of bytes.
    static func size(excludesZero: Bool) -> String {
        "^\(excludesZero ? hasDigitAboveZero : "")(?:[0-9]+[Bb]?|\(decimal)[KkMmGgTt][Ii]?[Bb])$"
    }

    /// `0.8` or `80%`, at most 1 where the bounds say so.
    static func ratio(_ bounds: FieldBounds?) -> String {
        guard let bounds, bounds.lower == "0", bounds.upper == "1" else { return #"^-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)%?$"# }
        let (part, percent) = (#"(?:0+(?:\.[0-9]*)?|\.[0-9]+)"#, #"(?:0*[0-9]{1,2}(?:\.[0-9]*)?|\.[0-9]+)%"#)
        if bounds.areExcluded { return "^\(hasDigitAboveZero)(?:\(part)|\(percent))$" }
        return #"^(?:\#(part)|0*1(?:\.0*)?|\#(percent)|0*100(?:\.0*)?%)$"#
    }

    private static let parameter = #"\{\#(Identifier.pattern)\}"#

    /// A template that names a file: not empty, and no `/` at its end.
    static let path = #"^(?:[^{\u0000]|\#(parameter))*(?:[^{/\u0000]|\#(parameter))$"#

    /// A query that reads: comments, and then a word that such a one begins with.
    static let query: String = {
        func word(_ word: String) -> String { word.map { "[\($0.uppercased())\($0)]" }.joined() }
        let words = ["select", "with", "values", "pragma", "explain"].map(word).joined(separator: "|")
        return #"^(?:[\t\n\f\r ;]|--[^\n]*\n|/\*(?:[^*]|\*+[^*/])*\*+/)*(?:\#(words))(?![A-Za-z0-9_$\u0080-\uFFFF])"#
    }()

    /// A template with a scheme, a host and, unless it is left out, a port.
    static let url: String = {
        let scheme = "[A-Za-z_+.-][A-Za-z0-9_+.-]*"
        let credentials = "(?:[^/?#{]*@)?"
        // What may stand in a URL: no spaces, no quotes, no control characters, nothing beyond ASCII.
        let host = #"(?:\[(?:[!$-.0-9:;=A-Z_a-z}~]|\#(parameter))+\]|(?:[!$-.0-9;=A-Z_a-z}~]|\#(parameter))+)"#
        let number = "0*(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])"
        let port = "(?::(?:\(number)|(?:[0-9]*\(parameter))+[0-9]*)?)?"
        let rest = #"(?:[/?#](?:[!#-;=?-\[\]_a-z}~]|\#(parameter))*)?"#
        return "^\(scheme)://\(credentials)\(host)\(port)\(rest)$"
    }()
}

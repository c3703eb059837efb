import Pipeline

/// Values that a source may confuse, shorten, or take for something to act on.
struct OddKey: Sendable {
    let label: String
    let key: Key

    /// Keys of one pipeline that all differ.
    static let all: [OddKey] =
        values.map { label, value in OddKey(label: label, key: Key(pipeline: "odd", parameters: ["user": value])) } + [
            OddKey(label: "no parameter", key: Key(pipeline: "odd")),
            OddKey(label: "a=\"x\" and b=\"yz\"", key: Key(pipeline: "odd", parameters: ["a": "x", "b": "yz"])),
            OddKey(label: "a=\"xy\" and b=\"z\"", key: Key(pipeline: "odd", parameters: ["a": "xy", "b": "z"])),
            OddKey(label: "a=\"x,b=yz\"", key: Key(pipeline: "odd", parameters: ["a": "x,b=yz"])),
            OddKey(label: "the pipeline `odd,user=a`", key: Key(pipeline: "odd,user=a")),
            OddKey(label: "the pipeline `..`", key: Key(pipeline: "..", parameters: ["user": "a"])),
        ]

    /// `existing` with each odd value in all its parameters; none when it has no parameter.
    static func variations(of existing: Key) -> [OddKey] {
        guard !existing.parameters.isEmpty else { return [] }
        return values.compactMap { label, value in
            let parameters = existing.parameters.map { Parameter(name: $0.name, value: value) }
            let key = Key(pipeline: existing.pipeline, parameters: parameters)
            return key == existing ? nil : OddKey(label: label, key: key)
        }
    }

    private static let values: [(label: String, value: String)] =
        [
            "", " ", "/", "..", ".", "../../odd", "a", "A", "a/b", "a%2Fb", "a%2fb", "%", "a\\b", "~", "*", ":", "-", "--help",
            "?user=a#b", "{key}", "${HOME}", "' OR 1=1 --", "\"", "a,b", "a=b", "a\nb", "a\r\nb", "👩‍👩‍👧", "null", "0", "00",
        ].map { ($0.debugDescription, $0) } + [
            ("NUL", "\0"),
            ("a NUL at the end", "a\0"),
            ("\"é\" as one scalar", "\u{E9}"),
            ("\"é\" as two scalars", "e\u{301}"),
            ("5,000 bytes", String(repeating: "a", count: 5_000)),
            ("5,000 bytes that differ in the last", String(repeating: "a", count: 4_999) + "b"),
        ]
}

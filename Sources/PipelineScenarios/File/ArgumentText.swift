/// Arguments in one text: `user=42`, `user=42,lang=de`.
///
/// A comma begins another argument only before a name and `=`, so that a value can have commas.
struct ArgumentText {
    let arguments: [(name: String, value: String)]

    init(_ text: String) {
        var arguments: [(name: String, value: String)] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let trimmed = part.drop { $0 == " " }
            let name = trimmed.prefix { $0 != "=" }
            let isName = name.count < trimmed.count && !name.isEmpty && name.utf8.allSatisfy(Self.isOfName)
            if isName || arguments.isEmpty {
                arguments.append((String(name), String(trimmed.dropFirst(name.count + 1))))
            } else {
                arguments[arguments.count - 1].value += "," + part
            }
        }
        self.arguments = arguments
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    var dictionary: [String: String] { Dictionary(arguments.map { ($0.name, $0.value) }) { _, last in last } }

    /// Arguments as one text, empty without any; nil where that would be read as others.
    static func text(_ arguments: NamedValues<ScenarioText>) -> String? {
        guard !arguments.members.isEmpty else { return "" }
        let text = arguments.members.map { "\($0.name)=\($0.value.text)" }.joined(separator: ",")
        return ArgumentText(text).dictionary == arguments.dictionary ? text : nil
    }
}

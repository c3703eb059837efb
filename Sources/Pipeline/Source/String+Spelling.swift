extension String {
    /// One text for all that a source may take for the same id: it leaves out case, blanks at both ends, and how a number is written.
    var normalSpelling: String {
        var text = lowercased().drop(while: \.isWhitespace)
        while text.last?.isWhitespace ?? false { text.removeLast() }
        if text.contains("e"), let number = Double(text), number.magnitude < 1e15, number == number.rounded() { return "\(Int64(number))" }
        let isNegative = text.first == "-"
        let parts = (isNegative || text.first == "+" ? text.dropFirst() : text).split(separator: ".", omittingEmptySubsequences: false)
        let isNumber =
            parts.count <= 2 && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } }
        guard isNumber else { return String(text) }
        var fraction = parts.count > 1 ? parts[1] : ""
        while fraction.last == "0" { fraction.removeLast() }
        let whole = parts[0].drop { $0 == "0" }
        let digits = (whole.isEmpty ? "0" : whole) + (fraction.isEmpty ? "" : "." + fraction)
        return (isNegative && digits != "0" ? "-" : "") + digits
    }
}

internal import PipelineConfig

/// Text and numbers as SVG has them.
enum SVGText {
    /// The text as the content of an element or an attribute: never markup. What XML or a terminal would obey is replaced.
    static func escaped(_ text: String) -> String { XMLText.escaped(text.printable) }

    /// A number to a tenth.
    static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        let sign = tenths < 0 ? "-" : ""
        let size = abs(tenths)
        return size % 10 == 0 ? "\(sign)\(size / 10)" : "\(sign)\(size / 10).\(size % 10)"
    }
}

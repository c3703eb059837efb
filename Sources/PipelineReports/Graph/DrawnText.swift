/// A line of text in a drawing, with the room it takes.
struct DrawnText: Hashable {
    /// How it looks.
    enum Style: String, Hashable {
        case title
        case name
        case body
        case note
        case small
        case label
        case live
        case warning
        case error
        case added
        case removed
        case changed

        var size: Double {
            switch self {
            case .title: 17
            case .name: 14
            case .body, .note, .warning, .error, .added, .removed, .changed: 12
            case .small, .label, .live: 11.5
            }
        }

        var isBold: Bool { self == .title || self == .name }

        /// From one base line to the next.
        var lineHeight: Double { (size * 1.4).rounded(.up) }
    }

    let text: String
    let style: Style
    /// The left end of the base line.
    var x: Double
    var y: Double
    /// How wide it is at most.
    let width: Double

    init(text: String, style: Style, x: Double, y: Double) {
        self.text = text
        self.style = style
        self.x = x
        self.y = y
        width = TextWidth.of(text, style)
    }

    /// The room that it takes at most.
    var frame: DrawnRect { DrawnRect(x: x, y: y - style.size, width: width, height: style.size * 1.3) }
}

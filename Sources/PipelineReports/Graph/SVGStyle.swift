internal import PipelineConfig

/// The colours of a drawing, for light and for dark surroundings.
///
/// Every element has its light colour as an attribute, too: a viewer that knows neither custom properties nor media queries shows that,
/// on the drawing's own background.
enum SVGStyle: String, CaseIterable {
    case page
    case card
    case box
    case border
    case text
    case muted
    case cache
    case origin
    case write
    case live
    case warning
    case error
    case added
    case removed
    case changed

    var light: String {
        switch self {
        case .page: "#f3f5f8"
        case .card: "#ffffff"
        case .box: "#f8fafc"
        case .border: "#d3dae3"
        case .text: "#1c2430"
        case .muted: "#566273"
        case .cache: "#1463c4"
        case .origin: "#7a3fc2"
        case .write: "#0b6e62"
        case .live: "#a8246e"
        case .warning, .changed: "#8a5a00"
        case .error, .removed: "#c1232b"
        case .added: "#17713a"
        }
    }

    var dark: String {
        switch self {
        case .page: "#0d1117"
        case .card: "#151b23"
        case .box: "#1c2430"
        case .border: "#36404d"
        case .text: "#e8edf3"
        case .muted: "#9aa7b6"
        case .cache: "#69a8ff"
        case .origin: "#bd93f9"
        case .write: "#4fc9b4"
        case .live: "#f58ac0"
        case .warning, .changed: "#e0a83a"
        case .error, .removed: "#ff7b72"
        case .added: "#56d079"
        }
    }

    /// The attributes of a filled shape or a text.
    var fill: String { "fill=\"\(light)\" class=\"f-\(rawValue)\"" }

    /// The attributes of a line.
    var stroke: String { "fill=\"none\" stroke=\"\(light)\" class=\"s-\(rawValue)\"" }

    /// The style sheet, which holds only below an element with `id`.
    static func sheet(id: String) -> String {
        let light = allCases.map { "--\($0.rawValue):\($0.light)" }.joined(separator: ";")
        let dark = allCases.map { "--\($0.rawValue):\($0.dark)" }.joined(separator: ";")
        let rules = allCases.map {
            "#\(id) .f-\($0.rawValue){fill:var(--\($0.rawValue))}#\(id) .s-\($0.rawValue){stroke:var(--\($0.rawValue))}"
        }
        return """
            #\(id){\(light)}
            @media (prefers-color-scheme:dark){#\(id){\(dark)}}
            \(rules.joined(separator: "\n"))
            """
    }

    static func of(_ change: GraphChange?) -> SVGStyle? {
        switch change {
        case .added: .added
        case .removed: .removed
        case .moved, .changed: .changed
        case nil: nil
        }
    }
}

extension DrawnText.Style {
    var colour: SVGStyle {
        switch self {
        case .title, .name, .body: .text
        case .small, .note: .muted
        case .label: .write
        case .live: .live
        case .warning: .warning
        case .error: .error
        case .added: .added
        case .removed: .removed
        case .changed: .changed
        }
    }
}

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

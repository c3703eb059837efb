/// The places of everything in a drawing: a card for each pipeline, in rows. Pure numbers, so that it can be checked.
struct GraphLayout {
    /// A card and its place.
    struct Placed {
        let card: GraphCard
        let frame: DrawnRect
    }

    /// Cards one below the other.
    private struct Column {
        var cards: [GraphCard]
        var width: Double { cards.map(\.width).max() ?? 0 }
        var height: Double { cards.reduce(-margin) { $0 + $1.height + margin } }
    }

    private(set) var width = 0.0
    private(set) var height = 0.0
    private(set) var cards: [Placed] = []
    /// The notes below the cards: problems of the file, and the meaning of the lines.
    private(set) var notes: [DrawnText] = []
    /// The samples of the legend.
    private(set) var legend: [Sample] = []

    /// A line of the legend, by its left end.
    struct Sample {
        let x: Double
        let y: Double
        let colour: SVGStyle
        let pattern: LinePattern
    }

    static let margin = 20.0
    static let sample = 34.0

    init(_ model: GraphModel) {
        // Cards of one width make columns.
        let widest = model.pipelines.map { GraphCard($0).width }.max() ?? 0
        let cards = model.pipelines.map { GraphCard($0, atLeast: widest) }
        let rowWidth = Self.rowWidth(for: cards)
        var row: [Column] = []
        var y = Self.margin
        for card in cards {
            let used = row.reduce(0) { $0 + $1.width + Self.margin }
            let height = row.map(\.height).max() ?? 0
            if let last = row.last, last.height + Self.margin + card.height <= height, used - last.width + card.width <= rowWidth {
                // Below a short one there is room beside a long one.
                row[row.count - 1].cards.append(card)
            } else if row.isEmpty || used + card.width <= rowWidth {
                row.append(Column(cards: [card]))
            } else {
                y = place(row, at: y)
                row = [Column(cards: [card])]
            }
        }
        if !row.isEmpty { y = place(row, at: y) }
        width = max(self.cards.map(\.frame.right).max() ?? 0, 320) + Self.margin
        height = layOutNotes(model, at: y)
    }

    /// The width of a drawing that can be read on a telephone.
    private static let narrow = 520.0

    /// The width of a row: the widest card, so that a narrow screen need not shrink the text; if that is wide already, or more than three
    /// times as high, about three wide to two high.
    private static func rowWidth(for cards: [GraphCard]) -> Double {
        let widest = cards.map(\.width).max() ?? 0
        if widest + 2 * margin <= narrow, Column(cards: cards).height <= 3 * narrow { return widest }
        let area = cards.reduce(0) { $0 + ($1.width + margin) * ($1.height + margin) }
        return max((area * 1.5).squareRoot(), widest)
    }

    /// Gives the top of the next row.
    private mutating func place(_ row: [Column], at y: Double) -> Double {
        var x = Self.margin
        for column in row {
            var top = y
            for card in column.cards {
                cards.append(Placed(card: card, frame: DrawnRect(x: x, y: top, width: card.width, height: card.height)))
                top += card.height + Self.margin
            }
            x += column.width + Self.margin
        }
        return y + (row.map(\.height).max() ?? 0) + Self.margin
    }

    private typealias LegendLine = (words: String, colour: SVGStyle, pattern: LinePattern)

    /// The meaning of the lines that are drawn; the colours of changes if there are any.
    private static func legend(of model: GraphModel) -> [LegendLine] {
        func draws(_ isDrawn: (GraphPipeline) -> Bool, _ words: String, _ colour: SVGStyle, _ pattern: LinePattern) -> [LegendLine] {
            model.pipelines.contains(where: isDrawn) ? [(words, colour, pattern)] : []
        }
        let hasNeeded = model.pipelines.contains { $0.parts.contains { !$0.isDispensable } }
        // Without a solid line there is nothing that "it" could mean.
        let without = hasNeeded ? "can do without it" : "is made from this part, and can do without it"
        let lines =
            draws({ !$0.fallbacks.isEmpty }, "asks the next when there is no answer", .muted, .solid)
            + draws({ !$0.writeBacks.isEmpty }, "writes the answer back", .write, .dashed)
            + draws({ !$0.feeds.isEmpty }, "tells of changes", .live, .dashed)
            + draws({ $0.parts.contains { !$0.isDispensable } }, "is made from this part", .origin, .solid)
            + draws({ $0.parts.contains(where: \.isDispensable) }, without, .origin, .dispensable)
            + draws({ !$0.links.isEmpty }, "leads to another value, when it is followed", .origin, .dotted)
        guard model.pipelines.contains(where: { $0.change != nil }) else { return lines }
        return lines + [("added", .added, .solid), ("removed", .removed, .solid), ("changed", .changed, .solid)]
    }

    /// Places the notes, and returns the height of the drawing.
    private mutating func layOutNotes(_ model: GraphModel, at y: Double) -> Double {
        var column = TextColumn(x: Self.margin, y: y, width: width - 2 * Self.margin)
        for send in model.sends { column.add("→ \(send.sentence)", .body) }
        column.add(model.problems + model.sends.flatMap(\.problems))
        notes = column.lines
        var bottom = notes.isEmpty ? y : column.y + 14
        guard !model.pipelines.isEmpty else { return bottom + Self.margin }
        var x = Self.margin
        for (words, colour, pattern) in Self.legend(of: model) {
            let textWidth = TextWidth.of(words, .small)
            if x > Self.margin, x + Self.sample + 8 + textWidth > width - Self.margin {
                x = Self.margin
                bottom += 18
            }
            legend.append(Sample(x: x, y: bottom + 8, colour: colour, pattern: pattern))
            notes.append(DrawnText(text: words, style: .small, x: x + Self.sample + 8, y: bottom + 12))
            x += Self.sample + 8 + textWidth + 20
        }
        return bottom + 12 + Self.margin
    }
}

/// A rectangle in a drawing.
struct DrawnRect: Hashable {
    var x: Double
    var y: Double
    var width: Double
    var height: Double

    var right: Double { x + width }
    var bottom: Double { y + height }
    var middle: Double { y + height / 2 }

    func overlaps(_ other: DrawnRect) -> Bool {
        x < other.right && other.x < right && y < other.bottom && other.y < bottom
    }

    func contains(_ other: DrawnRect) -> Bool {
        x <= other.x && y <= other.y && other.right <= right && other.bottom <= bottom
    }
}

/// A pattern in which a line is drawn.
enum LinePattern {
    case solid
    case dashed
    /// The line to a part that the composite can do without.
    case dispensable
    /// The line to a link.
    case dotted

    /// The attribute of a line with a space before it; empty for a solid one.
    var attribute: String {
        switch self {
        case .solid: ""
        case .dashed: " stroke-dasharray=\"5 4\""
        case .dispensable: " stroke-dasharray=\"6 4\""
        case .dotted: " stroke-dasharray=\"1.5 4\""
        }
    }
}

/// One card of the drawing as SVG elements.
struct GraphCardSVG {
    let card: GraphCard

    var elements: [String] {
        let border = SVGStyle.of(card.pipeline.change) ?? .border
        return [Self.rect(DrawnRect(x: 0, y: 0, width: card.width, height: card.height), radius: 14, fill: .card, stroke: border)]
            + card.heading.map(Self.element) + card.lanes.flatMap(lane) + taps + arrows + card.arrowLabels.map(Self.element)
            + card.boxes.flatMap(box) + card.feedBoxes.flatMap(feed) + card.partBoxes.flatMap(part)
    }

    /// A line of text.
    static func element(_ line: DrawnText) -> String {
        let weight = line.style.isBold ? " font-weight=\"600\"" : ""
        return "<text x=\"\(SVGText.number(line.x))\" y=\"\(SVGText.number(line.y))\" "
            + "font-size=\"\(SVGText.number(line.style.size))\"\(weight) \(line.style.colour.fill)>\(SVGText.escaped(line.text))</text>"
    }

    private static func rect(
        _ frame: DrawnRect, radius: Double, fill: SVGStyle, stroke: SVGStyle, isDashed: Bool = false, width: Double = 1
    ) -> String {
        let place =
            "x=\"\(SVGText.number(frame.x))\" y=\"\(SVGText.number(frame.y))\" width=\"\(SVGText.number(frame.width))\" "
            + "height=\"\(SVGText.number(frame.height))\" rx=\"\(SVGText.number(radius))\""
        let dashes = isDashed ? " stroke-dasharray=\"5 4\"" : ""
        return "<rect \(place) \(fill.fill)/><rect \(place) stroke-width=\"\(SVGText.number(width))\"\(dashes) \(stroke.stroke)/>"
    }

    private func box(_ box: GraphCard.Box) -> [String] {
        let tier = card.pipeline.tiers[box.index]
        let accent: SVGStyle = tier.isCache ? .cache : .origin
        let border =
            SVGStyle.of(tier.change) ?? (tier.problems.isEmpty ? .border : tier.problems.contains(where: \.isError) ? .error : .warning)
        let isPlain = border == .border
        let number = tier.change == .removed ? "−" : "\(box.index + 1)"
        let badge = box.badge
        var elements = ["<g>", "<title>\(SVGText.escaped(GraphDescription.words(tier, number: number)))</title>"]
        elements.append(
            Self.rect(box.frame, radius: 10, fill: .box, stroke: border, isDashed: tier.change == .removed, width: isPlain ? 1 : 1.8))
        elements.append("<circle cx=\"\(SVGText.number(badge.x))\" cy=\"\(SVGText.number(badge.y))\" r=\"11\" \(accent.fill)/>")
        elements.append(
            "<text x=\"\(SVGText.number(badge.x))\" y=\"\(SVGText.number(badge.y + 4.2))\" font-size=\"\(number.count > 2 ? 9 : 12)\" "
                + "font-weight=\"600\" text-anchor=\"middle\" \(SVGStyle.card.fill)>\(number)</text>")
        elements.append(icon(of: tier, x: box.frame.right - 32, y: box.frame.y + 14, accent))
        return elements + box.lines.map(Self.element) + ["</g>"]
    }

    private func feed(_ box: GraphCard.Box) -> [String] {
        let feed = card.pipeline.feeds[box.index]
        let problem: SVGStyle = feed.problems.contains(where: \.isError) ? .error : .warning
        let border = SVGStyle.of(feed.change) ?? (feed.problems.isEmpty ? .live : problem)
        let (x, y) = (SVGText.number(box.badge.x), SVGText.number(box.badge.y))
        // A dot, and the waves that go out from it.
        let waves = "M\(x) \(y)m-5.5-5.5a8 8 0 0 0 0 11m11 0a8 8 0 0 0 0-11"
        return [
            "<g>", "<title>\(SVGText.escaped(GraphDescription.words(feed)))</title>",
            Self.rect(box.frame, radius: 10, fill: .box, stroke: border, isDashed: true, width: feed.problems.isEmpty ? 1.2 : 1.8),
            "<circle cx=\"\(x)\" cy=\"\(y)\" r=\"3\" \(SVGStyle.live.fill)/>",
            "<path d=\"\(waves)\" stroke-width=\"1.6\" stroke-linecap=\"round\" \(SVGStyle.live.stroke)/>",
        ] + box.lines.map(Self.element) + ["</g>"]
    }

    /// A part or a link with the line to it, at the left of the boxes: solid, dashed if the composite can do without it, dotted for a link.
    private func part(_ box: GraphCard.Box) -> [String] {
        let part = (card.pipeline.parts + card.pipeline.links)[box.index]
        let start = part.isLink ? 0 : card.pipeline.composite ?? 0
        guard card.boxes.indices.contains(start) else { return [] }
        let from = card.boxes[start]
        let pattern: LinePattern = part.isLink ? .dotted : part.isDispensable ? .dispensable : .solid
        let (left, x) = (SVGText.number(from.frame.x), SVGText.number(from.frame.x - (part.isLink ? 14 : 9)))
        let (y, middle) = (SVGText.number(from.exit), SVGText.number(box.frame.y + 18))
        let tip = SVGText.number(box.frame.x - 2)
        return [
            "<g><title>\(SVGText.escaped((part.change.map { "\($0.rawValue): " } ?? "") + part.sentence))</title>",
            Self.rect(
                box.frame, radius: 8, fill: .box, stroke: SVGStyle.of(part.change) ?? .border, isDashed: part.change == .removed,
                width: part.change == nil ? 1 : 1.8),
            "<path d=\"M\(left) \(y)H\(x)V\(middle)H\(tip)\" stroke-width=\"1.6\"\(pattern.attribute) \(SVGStyle.origin.stroke)/>",
            "<path d=\"M\(tip) \(middle)m-6.5-4.5l6.5 4.5l-6.5 4.5\" stroke-width=\"1.6\" stroke-linecap=\"round\" "
                + "stroke-linejoin=\"round\" \(SVGStyle.origin.stroke)/>",
        ] + box.lines.map(Self.element) + ["</g>"]
    }

    /// A store for a cache, a server for an origin.
    private func icon(of tier: GraphTier, x: Double, y: Double, _ colour: SVGStyle) -> String {
        let shape =
            tier.isCache
            ? "M1 4c0-4 16-4 16 0s-16 4-16 0v10c0 4 16 4 16 0v-10M1 9c0 4 16 4 16 0"
            : "M3 1h12a2 2 0 0 1 2 2v3a2 2 0 0 1-2 2h-12a2 2 0 0 1-2-2v-3a2 2 0 0 1 2-2zM3 10h12a2 2 0 0 1 2 2v3a2 2 0 0 1-2 2h-12a2 2 0 0 1"
                + "-2-2v-3a2 2 0 0 1 2-2zM4.5 4.5h1M4.5 13.5h1"
        return "<path transform=\"translate(\(SVGText.number(x)) \(SVGText.number(y)))\" d=\"\(shape)\" stroke-width=\"1.4\" "
            + "stroke-linecap=\"round\" stroke-linejoin=\"round\" \(colour.stroke)/>"
    }

    private var arrows: [String] {
        card.pipeline.fallbacks.map { edge in
            let (from, to) = (card.boxes[edge.from], card.boxes[edge.to])
            let x = SVGText.number(from.badge.x)
            let tip = SVGText.number(to.frame.y - 2)
            let words = "\(card.pipeline.tiers[edge.from].source) → \(card.pipeline.tiers[edge.to].source): asked when there is no answer"
            return
                "<g><title>\(SVGText.escaped(words))</title><path d=\"M\(x) \(SVGText.number(from.frame.bottom))V\(tip)m-4.5-6.5l4.5 6.5l4.5-6.5\" "
                + "stroke-width=\"1.6\" stroke-linecap=\"round\" stroke-linejoin=\"round\" \(SVGStyle.muted.stroke)/></g>"
        }
    }

    /// The line into a tier, with its arrow and its words.
    private func lane(_ lane: GraphCard.Lane) -> [String] {
        let target = card.boxes[lane.target]
        let x = SVGText.number(lane.x)
        let colour = lane.edges.isEmpty ? .live : common(lane.edges)
        let end = SVGText.number(target.frame.right + 3)
        let exits = lane.edges.isEmpty ? lane.feeds.map { card.feedBoxes[$0].exit } : lane.edges.map { card.boxes[$0.from].exit }
        // Up to the highest and down to the lowest tier whose answers come in, both from where the line turns.
        let lowest = exits.filter { $0 > target.entry }.max()
        let paths = [exits.filter { $0 < target.entry }.min(), lowest].compactMap(\.self).map { far in
            "M\(x) \(SVGText.number(far))V\(SVGText.number(target.entry))"
        }
        let line = paths.joined() + "M\(x) \(SVGText.number(target.entry))H\(end)"
        let tip =
            "M\(SVGText.number(target.frame.right + 9)) \(SVGText.number(target.entry - 4.5))L\(end) \(SVGText.number(target.entry))"
            + "l6 4.5"
        let words =
            lane.edges.map { edge in
                (edge.change.map { "\($0.rawValue): " } ?? "")
                    + "\(card.pipeline.tiers[edge.from].source) → \(card.pipeline.tiers[edge.to].source): \(edge.label)"
            }
            + lane.feeds.map {
                "\(card.pipeline.feeds[$0].source) → \(card.pipeline.tiers[lane.target].source): \(card.pipeline.feeds[$0].label)"
            }
        let title = "<g><title>\(SVGText.escaped(words.joined(separator: "; ")))</title>"
        let path = "<path d=\"\(line)\" stroke-width=\"1.6\"\(LinePattern.dashed.attribute) \(colour.stroke)/>"
        let arrow = "<path d=\"\(tip)\" stroke-width=\"1.6\" stroke-linecap=\"round\" stroke-linejoin=\"round\" \(colour.stroke)/>"
        return [title, path] + feedLine(of: lane, to: lowest ?? target.entry) + [arrow] + lane.label.map(Self.element) + ["</g>"]
    }

    /// The part of a line that only feeds use: from the lowest feed up to the tiers whose answers come in, too.
    private func feedLine(of lane: GraphCard.Lane, to end: Double) -> [String] {
        guard !lane.edges.isEmpty, let start = lane.feeds.map({ card.feedBoxes[$0].exit }).max(), start > end else { return [] }
        let line = "M\(SVGText.number(lane.x)) \(SVGText.number(start))V\(SVGText.number(end))"
        return ["<path d=\"\(line)\" stroke-width=\"1.6\"\(LinePattern.dashed.attribute) \(SVGStyle.live.stroke)/>"]
    }

    /// The lines out of the tiers, with a dot where they join the line into a cache.
    private var taps: [String] {
        card.feedBoxes.flatMap(tap)
            + card.boxes.flatMap { box -> [String] in
                let lanes = card.lanes.filter { $0.edges.contains { $0.from == box.index } }
                let edges = lanes.flatMap { $0.edges.filter { $0.from == box.index } }
                guard let far = lanes.map(\.x).max() else { return [] }
                let names = edges.map { card.pipeline.tiers[$0.to].source }.joined(separator: ", ")
                let words = "\(card.pipeline.tiers[box.index].source): its answer is written to \(names)"
                let dots = lanes.map { lane in
                    let colour = SVGStyle.of(lane.edges.first { $0.from == box.index }?.change) ?? .write
                    return "<circle cx=\"\(SVGText.number(lane.x))\" cy=\"\(SVGText.number(box.exit))\" r=\"3.2\" \(colour.fill)/>"
                }
                return [
                    "<g><title>\(SVGText.escaped(words))</title><path d=\"M\(SVGText.number(box.frame.right)) \(SVGText.number(box.exit))"
                        + "H\(SVGText.number(far))\" stroke-width=\"1.6\" stroke-dasharray=\"5 4\" \(common(edges).stroke)/>"
                ] + dots + ["</g>"]
            }
    }

    /// The line out of a feed, with the same dots.
    private func tap(outOf box: GraphCard.Box) -> [String] {
        let feed = card.pipeline.feeds[box.index]
        let lanes = card.lanes.filter { $0.feeds.contains(box.index) }
        guard let far = lanes.map(\.x).max() else { return [] }
        let colour = SVGStyle.of(feed.change) ?? .live
        let dots = lanes.map { lane in
            "<circle cx=\"\(SVGText.number(lane.x))\" cy=\"\(SVGText.number(box.exit))\" r=\"3.2\" \(colour.fill)/>"
        }
        return [
            "<g><title>\(SVGText.escaped("\(feed.source): \(feed.effect)"))</title>"
                + "<path d=\"M\(SVGText.number(box.frame.right)) \(SVGText.number(box.exit))H\(SVGText.number(far))\" stroke-width=\"1.6\" "
                + "stroke-dasharray=\"5 4\" \(colour.stroke)/>"
        ] + dots + ["</g>"]
    }

    /// The colour of a change that all of them have in common.
    private func common(_ edges: [GraphWriteBack]) -> SVGStyle {
        let changes = Set(edges.map(\.change))
        return (changes.count == 1 ? changes.first.flatMap { SVGStyle.of($0) } : nil) ?? .write
    }
}

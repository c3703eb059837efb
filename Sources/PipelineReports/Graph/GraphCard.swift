/// One pipeline laid out: a column of boxes, the arrows between them, and at their right the write-backs. Starts at (0, 0).
struct GraphCard {
    /// A tier or a feed.
    struct Box {
        /// The index of the box among the tiers, or among the feeds.
        let index: Int
        var frame: DrawnRect
        var lines: [DrawnText]
        /// The middle of the circle with its number.
        var badge: (x: Double, y: Double) { (frame.x + 24, frame.y + 24) }
        /// The height at which values that are written to it arrive.
        var entry: Double { frame.y + 19 }
        /// The height at which its answers leave it.
        var exit: Double { frame.bottom - 15 }
    }

    /// The writes to one cache: a line from the tiers whose answers go there.
    struct Lane {
        let target: Int
        /// The write-backs that it joins.
        let edges: [GraphWriteBack]
        /// The feeds that it joins.
        let feeds: [Int]
        let x: Double
        var label: [DrawnText]
    }

    let pipeline: GraphPipeline
    /// The width and height of the card.
    private(set) var width = 0.0
    private(set) var height = 0.0
    private(set) var heading: [DrawnText] = []
    private(set) var boxes: [Box] = []
    /// The feeds, below the tiers.
    private(set) var feedBoxes: [Box] = []
    /// The parts and then the links, below the feeds.
    private(set) var partBoxes: [Box] = []
    private(set) var lanes: [Lane] = []
    /// The words at the arrows.
    private(set) var arrowLabels: [DrawnText] = []

    static let padding = 22.0
    static let gap = 38.0
    private static let feedGap = 20.0
    private static let boxWidth = 288.0
    private static let textInset = 46.0
    private static let partInset = 22.0
    private static let laneGap = 15.0
    private static let labelWidth = 128.0

    /// - Parameter least: how wide the card is at least.
    init(_ pipeline: GraphPipeline, atLeast least: Double = 0) {
        self.pipeline = pipeline
        let targets = Self.targets(of: pipeline)
        let labels = Dictionary(uniqueKeysWithValues: targets.map { ($0.target, Self.label(of: $0, in: pipeline)) })
        let labelWidth = labels.values.joined().map(\.frame.width).max() ?? 0
        let lanesWidth = targets.isEmpty ? 0 : 24 + Self.laneGap * Double(targets.count - 1) + 14 + labelWidth
        let content = max(Self.boxWidth + lanesWidth, least - 2 * Self.padding)
        width = content + 2 * Self.padding
        var y = layOutHeading(width: content) + 16
        for index in pipeline.tiers.indices {
            layOutBox(index, at: y, labelHeight: labels[index].map { Self.height(of: $0) } ?? 0)
            y = (boxes.last?.frame.bottom ?? y) + Self.gap
        }
        y = boxes.last?.frame.bottom ?? y - 16
        for index in pipeline.feeds.indices { y = layOutFeed(index, at: y + Self.feedGap) }
        for index in (pipeline.parts + pipeline.links).indices { y = layOutPart(index, at: y + (index == 0 ? Self.feedGap : 10)) }
        height = y + Self.padding
        layOutLanes(targets, labels: labels)
        for edge in pipeline.fallbacks {
            arrowLabels.append(
                DrawnText(
                    text: "no answer", style: .small, x: boxes[edge.from].badge.x + 12, y: boxes[edge.from].frame.bottom + Self.gap / 2 + 3)
            )
        }
    }

    /// Gives the bottom of the heading.
    private mutating func layOutHeading(width: Double) -> Double {
        var column = TextColumn(x: Self.padding, y: Self.padding, width: width)
        column.add(pipeline.change.map { "\($0.mark) \(pipeline.signature)" } ?? pipeline.signature, .title)
        column.space(3)
        if let description = pipeline.description { column.add(description, .note, most: 4) }
        column.add(pipeline.policies)
        column.add(pipeline.problems)
        heading = column.lines
        return column.y + 4
    }

    private mutating func layOutBox(_ index: Int, at y: Double, labelHeight: Double) {
        let tier = pipeline.tiers[index]
        // The icon stands at the right of the name.
        let textWidth = Self.boxWidth - Self.textInset - 40
        var name = TextColumn(x: Self.padding + Self.textInset, y: y + 15, width: textWidth)
        name.add(tier.source, .name, most: 2)
        var column = TextColumn(x: Self.padding + Self.textInset, y: name.y + 5, width: Self.boxWidth - Self.textInset - 16)
        column.add([tier.type, tier.kind].compactMap { $0 }.joined(separator: " · "), .small)
        if let former = tier.formerTitle { column.add("was \(former)", .changed) }
        if let index = tier.formerIndex { column.add("was asked as number \(index + 1)", .changed) }
        if !tier.policies.isEmpty { column.space(2) }
        column.add(tier.policies)
        column.add(tier.problems)
        let height = max(column.y - y + 14, labelHeight + 20, 56)
        let frame = DrawnRect(x: Self.padding, y: y, width: Self.boxWidth, height: height)
        boxes.append(Box(index: index, frame: frame, lines: name.lines + column.lines))
    }

    /// Gives the bottom of the feed.
    private mutating func layOutFeed(_ index: Int, at y: Double) -> Double {
        let feed = pipeline.feeds[index]
        var name = TextColumn(x: Self.padding + Self.textInset, y: y + 15, width: Self.boxWidth - Self.textInset - 40)
        name.add(feed.source, .name, most: 2)
        var column = TextColumn(x: Self.padding + Self.textInset, y: name.y + 5, width: Self.boxWidth - Self.textInset - 16)
        column.add([feed.type, GraphFeed.kind].compactMap { $0 }.joined(separator: " · "), .small)
        if !feed.policies.isEmpty { column.space(2) }
        column.add(feed.policies)
        column.add(feed.problems)
        let frame = DrawnRect(x: Self.padding, y: y, width: Self.boxWidth, height: max(column.y - y + 14, 56))
        feedBoxes.append(Box(index: index, frame: frame, lines: name.lines + column.lines))
        return frame.bottom
    }

    /// Gives the bottom of the part or the link.
    private mutating func layOutPart(_ index: Int, at y: Double) -> Double {
        let part = (pipeline.parts + pipeline.links)[index]
        let width = Self.boxWidth - Self.partInset - 28
        var name = TextColumn(x: Self.padding + Self.partInset + 14, y: y + 11, width: width)
        name.add(part.change.map { "\($0.mark) \(part.shownName)" } ?? part.shownName, .name, most: 2)
        var column = TextColumn(x: Self.padding + Self.partInset + 14, y: name.y + 4, width: width)
        column.add("\(part.isLink ? "link to" : "from") \(part.pipeline)\(part.call.isEmpty ? "" : " · \(part.call)")", .small, most: 4)
        for condition in part.keptConditions { column.add(condition, .small, most: 2) }
        if let words = part.formerPlace { column.add(words, .changed) }
        column.add(part.changes)
        let frame = DrawnRect(
            x: Self.padding + Self.partInset, y: y, width: Self.boxWidth - Self.partInset, height: column.y - y + 11)
        partBoxes.append(Box(index: index, frame: frame, lines: name.lines + column.lines))
        return frame.bottom
    }

    private typealias Target = (target: Int, edges: [GraphWriteBack], feeds: [Int])

    /// The tiers that lines lead to, those with the shortest way first.
    private static func targets(of pipeline: GraphPipeline) -> [Target] {
        let lines = pipeline.feedLines
        return pipeline.tiers.indices.compactMap { index -> Target? in
            let edges = pipeline.writeBacks.filter { $0.to == index }
            let feeds = lines.filter { $0.to == index }.map(\.feed)
            return edges.isEmpty && feeds.isEmpty ? nil : (index, edges, feeds)
        }.sorted { (length(of: $0, in: pipeline), $0.target) < (length(of: $1, in: pipeline), $1.target) }
    }

    private static func length(of target: Target, in pipeline: GraphPipeline) -> Int {
        let lengths = target.edges.map { abs($0.from - $0.to) } + target.feeds.map { pipeline.tiers.count + $0 - target.target }
        return lengths.max() ?? 0
    }

    /// The words at the line into a tier: what holds for its copies, what feeds do to it, and which edges a change adds or removes.
    private static func label(of target: Target, in pipeline: GraphPipeline) -> [DrawnText] {
        var column = TextColumn(x: 0, y: 0, width: labelWidth)
        let words = target.edges.first { $0.change != .removed }?.words ?? []
        if !target.edges.isEmpty {
            for word in words.isEmpty ? ["write-back"] : words { column.add(word, .label, most: 2) }
        }
        for word in Set(target.feeds.map { pipeline.feeds[$0].label }).sorted() { column.add(word, .live, most: 2) }
        for edge in target.edges {
            guard let change = edge.change else { continue }
            column.add("\(change.mark) from \(pipeline.tiers[edge.from].source)", change == .added ? .added : .removed, most: 2)
        }
        return column.lines
    }

    private static func height(of lines: [DrawnText]) -> Double { lines.last?.frame.bottom ?? 0 }

    private mutating func layOutLanes(_ targets: [Target], labels: [Int: [DrawnText]]) {
        let right = Self.padding + Self.boxWidth
        let labelX = right + 24 + Self.laneGap * Double(max(0, targets.count - 1)) + 14
        for (number, target) in targets.enumerated() {
            let lines = (labels[target.target] ?? []).map { line in
                var line = line
                line.x += labelX
                line.y += boxes[target.target].entry - 7
                return line
            }
            lanes.append(
                Lane(
                    target: target.target, edges: target.edges, feeds: target.feeds, x: right + 24 + Self.laneGap * Double(number),
                    label: lines))
        }
    }
}

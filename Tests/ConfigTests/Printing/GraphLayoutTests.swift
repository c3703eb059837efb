import Testing

@testable import PipeRunKit
@testable import PipelineReports

/// Where things stand in a drawing, over random pipelines.
@Suite struct GraphLayoutTests {
    private static func boxes(_ layout: GraphLayout) -> [DrawnRect] {
        layout.cards.flatMap { placed in placed.card.boxes.map { $0.frame.moved(to: placed) } }
    }

    /// All text that stands beside boxes.
    private static func texts(_ layout: GraphLayout) -> [DrawnRect] {
        layout.notes.map(\.frame)
            + layout.cards.flatMap { placed in
                (placed.card.heading + placed.card.arrowLabels + placed.card.lanes.flatMap(\.label)).map { $0.frame.moved(to: placed) }
            }
    }

    @Test(arguments: 0..<50) func `no two boxes overlap`(_ seed: UInt64) {
        let boxes = Self.boxes(GraphLayout(Drawing.random(seed)))

        for (index, box) in boxes.enumerated() {
            #expect(!boxes[..<index].contains { $0.overlaps(box) })
        }
    }

    @Test(arguments: 0..<50) func `cards do not overlap and hold their boxes`(_ seed: UInt64) {
        let layout = GraphLayout(Drawing.random(seed))

        for (index, placed) in layout.cards.enumerated() {
            #expect(!layout.cards[..<index].contains { $0.frame.overlaps(placed.frame) })
            #expect(placed.card.boxes.allSatisfy { placed.frame.contains($0.frame.moved(to: placed)) })
            #expect(placed.card.lanes.allSatisfy { $0.x < placed.card.width })
        }
    }

    @Test(arguments: 0..<50) func `no text overlaps a box or another text`(_ seed: UInt64) {
        let layout = GraphLayout(Drawing.random(seed))
        let (boxes, texts) = (Self.boxes(layout), Self.texts(layout))

        for (index, text) in texts.enumerated() {
            #expect(!boxes.contains { $0.overlaps(text) })
            #expect(!texts[..<index].contains { $0.overlaps(text) }, "\(text)")
        }
    }

    @Test(arguments: 0..<50) func `text in a box stays in it`(_ seed: UInt64) {
        for placed in GraphLayout(Drawing.random(seed)).cards {
            for box in placed.card.boxes {
                #expect(box.lines.allSatisfy { box.frame.contains($0.frame) })
                for (index, line) in box.lines.enumerated() { #expect(!box.lines[..<index].contains { $0.frame.overlaps(line.frame) }) }
            }
        }
    }

    @Test(arguments: 0..<50) func `no line crosses its words`(_ seed: UInt64) {
        for placed in GraphLayout(Drawing.random(seed)).cards {
            let labels = placed.card.lanes.flatMap(\.label)
            #expect(placed.card.lanes.allSatisfy { lane in labels.allSatisfy { $0.frame.x > lane.x } })
            #expect(placed.card.lanes.allSatisfy { lane in placed.card.boxes.allSatisfy { $0.frame.right < lane.x } })
        }
    }

    @Test(arguments: 0..<50) func `everything is within the drawing`(_ seed: UInt64) {
        let layout = GraphLayout(Drawing.random(seed))
        let whole = DrawnRect(x: 0, y: 0, width: layout.width, height: layout.height)

        #expect((Self.boxes(layout) + Self.texts(layout) + layout.cards.map(\.frame)).allSatisfy(whole.contains))
        #expect(layout.legend.allSatisfy { $0.x >= 0 && $0.x + GraphLayout.sample <= layout.width && $0.y < layout.height })
    }

    @Test(arguments: 0..<50) func `cards are of one width`(_ seed: UInt64) {
        #expect(Set(GraphLayout(Drawing.random(seed)).cards.map(\.frame.width)).count == 1)
    }

    @Test func `the legend of a change names its colours`() {
        var model = Drawing.random(3)
        for index in model.pipelines.indices { model.pipelines[index].change = nil }
        let usual = GraphLayout(model)
        model.pipelines[0].change = .changed
        let changed = GraphLayout(model)

        #expect(usual.legend.map(\.colour) == [.muted, .write])
        #expect(changed.legend.map(\.colour) == [.muted, .write, .added, .removed, .changed])
        #expect(changed.notes.suffix(3).map(\.text) == ["added", "removed", "changed"])
    }

    @Test func `many pipelines take rows`() {
        let one = Drawing.random(3).pipelines[0]

        let layout = GraphLayout(GraphModel(pipelines: Array(repeating: one, count: 30)))

        #expect(Set(layout.cards.map(\.frame.y)).count > 2 && Set(layout.cards.map(\.frame.x)).count > 2)
        #expect(layout.width / layout.height > 0.4 && layout.width / layout.height < 4)
    }

    @Test(arguments: [2, 3, 8, 12], ["[m, o]", "[{ source: m, ttl: 30s }, { source: d, ttl: 1h }, o]"])
    func `a few narrow pipelines are one column, many are not`(count: Int, tiers: String) {
        let pipelines = (0..<count).map { "  p\($0): { tiers: \(tiers) }\n" }.joined()
        let sources = "sources: { m: { type: memory }, d: { type: file, path: d.json }, o: { type: http, url: \"http://h/\" } }\n"

        let layout = GraphLayout(Drawing.model(sources + "pipelines:\n" + pipelines))

        #expect(layout.cards.count == count)
        #expect((Set(layout.cards.map(\.frame.x)).count > 1) == (count >= 8))
        #expect(count < 8 || layout.height < 1.5 * layout.width, "\(layout.width) × \(layout.height)")
    }

    @Test func `a drawing of nothing has a size`() {
        let layout = GraphLayout(GraphModel(pipelines: []))

        #expect(layout.width > 0 && layout.height > 0)
    }

    @Test(arguments: ["", "a", "a b c", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "aa  bb", "漢字漢字漢字漢字", " a"])
    func `lines hold the whole text, and each is narrow enough`(_ text: String) {
        let lines = TextWidth.lines(text, width: 60, .body, most: 100)

        #expect(lines.joined().filter { $0 != " " } == text.filter { $0 != " " })
        #expect(lines.allSatisfy { TextWidth.of($0, .body) <= 60 })
    }

    @Test func `what does not fit ends in an ellipsis`() {
        let lines = TextWidth.lines(String(repeating: "word ", count: 100), width: 100, .name, most: 2)

        #expect(lines.count == 2 && lines.last?.hasSuffix("…") == true)
        #expect(lines.allSatisfy { TextWidth.of($0, .name) <= 100 })
    }
}

extension DrawnRect {
    fileprivate func moved(to placed: GraphLayout.Placed) -> DrawnRect {
        DrawnRect(x: x + placed.frame.x, y: y + placed.frame.y, width: width, height: height)
    }
}

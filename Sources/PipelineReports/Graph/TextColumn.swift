internal import PipelineConfig

/// Lines of text one below the other.
struct TextColumn {
    let x: Double
    let width: Double
    private(set) var y: Double
    private(set) var lines: [DrawnText] = []

    init(x: Double, y: Double, width: Double) {
        self.x = x
        self.y = y
        self.width = width
    }

    mutating func add(_ text: String, _ style: DrawnText.Style, most: Int = 3) {
        for line in TextWidth.lines(text.printable, width: width, style, most: most) {
            // The room above the first base line is that of the letters.
            y += lines.isEmpty ? style.size : style.lineHeight
            lines.append(DrawnText(text: line, style: style, x: x, y: y))
        }
    }

    mutating func space(_ height: Double) { y += height }

    /// Policies one after the other, as many as fit into a line; those that change stand alone.
    mutating func add(_ policies: [GraphPolicy]) {
        var line = ""
        func fits(_ text: String) -> Bool { TextWidth.of(text, .body) <= width }
        for policy in policies {
            if let change = policy.change {
                if !line.isEmpty { add(line, .body) }
                line = ""
                add(policy.words, change == .added ? .added : change == .removed ? .removed : .changed)
            } else if line.isEmpty || !fits("\(line)  ·  \(policy.words)") {
                if !line.isEmpty { add(line, .body) }
                line = policy.words
            } else {
                line += "  ·  \(policy.words)"
            }
        }
        if !line.isEmpty { add(line, .body) }
    }

    /// The most problems that are written out in one place.
    private static let mostProblems = 4

    mutating func add(_ problems: [GraphProblem]) {
        for problem in problems.prefix(Self.mostProblems) {
            add("⚠ \(problem.code) \(problem.message)", problem.isError ? .error : .warning, most: 4)
        }
        if problems.count > Self.mostProblems { add("⚠ and \(problems.count - Self.mostProblems) more", .warning) }
    }
}

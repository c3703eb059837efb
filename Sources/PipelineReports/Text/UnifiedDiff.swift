package import PipelineConfig
package import PipelineYAML

/// The changes between two versions of a file, as `diff -u` shows them, secrets masked.
package struct UnifiedDiff {
    /// A line that stays, goes or comes.
    private enum Step {
        case stays(old: Int, new: Int)
        case goes(Int)
        case comes(Int)

        var isChange: Bool { if case .stays = self { false } else { true } }
    }

    /// The number of lines that stay and are shown around those that change.
    private static let context = 3

    private let name: String
    private let old: DiagnosticPrinter
    private let new: DiagnosticPrinter
    private let steps: [Step]

    /// The difference of any two texts of a file.
    package init(old: ConfigFile, new: ConfigFile, secrets: [TextRange], newSecrets: [TextRange]) {
        func lines(of file: ConfigFile) -> [[UInt8]] { (0..<file.lines.count).map { Array(file.lines.bytes(ofLine: $0 + 1)) } }
        let (before, after) = (lines(of: old), lines(of: new))
        let change = after.difference(from: before)
        let gone = Set(change.removals.compactMap { if case .remove(let offset, _, _) = $0 { offset } else { nil } })
        let come = Set(change.insertions.compactMap { if case .insert(let offset, _, _) = $0 { offset } else { nil } })
        var kept = before.indices.filter { !gone.contains($0) }.makeIterator()
        let origins = after.indices.map { come.contains($0) ? 0 : (kept.next() ?? -1) + 1 }
        self.init(old: old, new: new, origins: origins, secrets: secrets, newSecrets: newSecrets)
    }

    /// The difference of two files where lines of `new` come from lines of `old`, in order.
    ///
    /// - Parameter origins: for each line of `new`, from 1, its line in `old`; 0 for one that is new.
    package init(old: ConfigFile, new: ConfigFile, origins: [Int], secrets: [TextRange], newSecrets: [TextRange]) {
        name = old.name.printable
        let (before, after) = (old.lines, new.lines)
        // What only the new text shows to be a secret is one in the old text, too.
        let found = Self.places(of: newSecrets, in: after, before: before, origins: origins)
        self.old = DiagnosticPrinter(lines: before, secretRanges: secrets + found, hasColour: false)
        self.new = DiagnosticPrinter(lines: after, secretRanges: newSecrets, hasColour: false)
        var steps: [Step] = []
        var next = 1
        for (index, origin) in origins.enumerated() where !after.bytes(ofLine: index + 1).isEmpty {
            if origin == 0 {
                steps.append(.comes(index + 1))
                continue
            }
            steps += (next..<max(next, origin)).map { .goes($0) }
            if before.bytes(ofLine: origin) == after.bytes(ofLine: index + 1) {
                steps.append(.stays(old: origin, new: index + 1))
            } else {
                steps += [.goes(origin), .comes(index + 1)]
            }
            next = origin + 1
        }
        steps += (next..<max(next, before.count + 1)).filter { !before.bytes(ofLine: $0).isEmpty }.map { .goes($0) }
        self.steps = steps
    }

    /// All of the text; empty if nothing changes.
    package func text(hasColour: Bool) -> String {
        let hunks = hunks
        guard !hunks.isEmpty else { return "" }
        return "--- \(name)\n+++ \(name)\n" + hunks.map { text(of: $0, hasColour: hasColour) }.joined()
    }

    /// The steps that are shown together.
    private var hunks: [Range<Int>] {
        var hunks: [Range<Int>] = []
        for index in steps.indices where steps[index].isChange {
            let around = max(0, index - Self.context)..<min(steps.count, index + Self.context + 1)
            if let last = hunks.last, last.upperBound >= around.lowerBound {
                hunks[hunks.count - 1] = last.lowerBound..<around.upperBound
            } else {
                hunks.append(around)
            }
        }
        return hunks
    }

    private func text(of hunk: Range<Int>, hasColour: Bool) -> String {
        var body = ""
        var going = ""
        var coming = ""
        var (oldLines, newLines): ([Int], [Int]) = ([], [])
        for step in steps[hunk] {
            switch step {
            case .stays(let number, let counterpart):
                body += going + coming + line(" ", number, of: old, colour: nil)
                (going, coming) = ("", "")
                oldLines.append(number)
                newLines.append(counterpart)
            case .goes(let number):
                going += line("-", number, of: old, colour: hasColour ? 31 : nil)
                oldLines.append(number)
            case .comes(let number):
                coming += line("+", number, of: new, colour: hasColour ? 32 : nil)
                newLines.append(number)
            }
        }
        let (oldBefore, newBefore) = linesBefore(hunk.lowerBound)
        let places = "-\(Self.place(oldLines.count, after: oldBefore)) +\(Self.place(newLines.count, after: newBefore))"
        return "@@ \(places) @@\n" + body + going + coming
    }

    /// The number of lines of each text before a step.
    private func linesBefore(_ index: Int) -> (old: Int, new: Int) {
        steps[..<index].reduce(into: (old: 0, new: 0)) { count, step in
            switch step {
            case .stays: count = (count.old + 1, count.new + 1)
            case .goes: count.old += 1
            case .comes: count.new += 1
            }
        }
    }

    private static func place(_ count: Int, after before: Int) -> String {
        count == 1 ? "\(before + 1)" : "\(count == 0 ? before : before + 1),\(count)"
    }

    /// A line as it is shown; what cannot be seen of it and yet may be what changes, by signs.
    private func line(_ sign: String, _ number: Int, of side: DiagnosticPrinter, colour: Int?) -> String {
        let bytes = side.lines.bytes(ofLine: number)
        let mark = number == 1 && bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? "␢" : ""
        let returns = bytes.contains(0x0D) ? "␍" : ""
        let text = sign + mark + side.shownLine(number) + returns
        let coloured = colour.map { "\u{1B}[\($0)m\(text)\u{1B}[0m" } ?? text
        let isLast = number == side.lines.count && !bytes.isEmpty
        return coloured + "\n" + (isLast ? "\\ No newline at end of file\n" : "")
    }

    /// The places in the old text of the secrets at `ranges` of the new text, in reading order; all of the line if one is not found there.
    private static func places(of ranges: [TextRange], in lines: SourceLines, before: SourceLines, origins: [Int]) -> [TextRange] {
        var places: [TextRange] = []
        var line: SecretLine?
        for range in ranges {
            for number in range.start.line...max(range.start.line, range.end.line)
            where origins.indices.contains(number - 1) && origins[number - 1] > 0 {
                if line?.number != number {
                    line = SecretLine(number: number, new: lines[number], old: before[origins[number - 1]])
                }
                let start = number == range.start.line ? range.start.column - 1 : 0
                let part = line?.find(start..<(number == range.end.line ? max(start, range.end.column - 1) : .max))
                guard let part else { continue }
                let origin = origins[number - 1]
                places.append(
                    TextRange(
                        TextPosition(line: origin, column: part.lowerBound + 1), TextPosition(line: origin, column: part.upperBound + 1)))
            }
        }
        return places
    }
}

/// A line before and after a change, to find its secrets one after the other: a line may have very many of them.
private struct SecretLine {
    let number: Int
    private let new: [Unicode.Scalar]
    private let old: [Unicode.Scalar]
    /// The end of the last secret that was found: those after it come no earlier.
    private var next = 0

    init(number: Int, new: String, old: String) {
        self.number = number
        self.new = Array(new.unicodeScalars)
        self.old = Array(old.unicodeScalars)
    }

    /// The place in the old line of what stands at `part` of the new line; nil if nothing stands there, or if all of the old line is secret
    /// already.
    mutating func find(_ part: Range<Int>) -> Range<Int>? {
        let part = part.clamped(to: 0..<new.count)
        guard !part.isEmpty, next < old.count else { return nil }
        let secret = new[part].filter { $0 != "\"" }
        guard let start = old.indices[next...].first(where: { old[$0...].starts(with: secret) }) else {
            next = old.count
            return 0..<old.count
        }
        next = start
        return start..<(start + secret.count)
    }
}

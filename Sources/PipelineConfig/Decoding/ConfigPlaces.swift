internal import Pipeline

/// The place of what is being read: the aliases and merges that lead to it, and the places of parts of a text.
package final class ConfigPlaces {
    /// The aliases and merges that lead to what is being read.
    private(set) var trail: [TextRange] = []
    /// The scalar that was last asked for places within it.
    private var measured: (range: TextRange, measure: ScalarMeasure)?

    /// `range` with the aliases and merges that lead to what is being read.
    func place(of range: TextRange) -> ConfigPlace {
        ConfigPlace(range: range, uses: trail)
    }

    /// The key of `member` with the merges that brought it here.
    func place(ofKeyOf member: ConfigNode.Member) -> ConfigPlace {
        ConfigPlace(range: member.keyRange, uses: trail + member.merges)
    }

    /// The place of a part of the text of `node`, in Unicode scalars, with the alias that `node` may be; of all of it when the part is nil.
    func place(of part: Range<Int>?, in node: ConfigNode) -> ConfigPlace {
        withTarget(of: node) { node in place(of: part.map { range(of: $0, in: node) } ?? node.range) }
    }

    /// The node behind an alias, or `node` itself; problems below it then name the alias, too.
    package func withTarget<Value>(of node: ConfigNode, _ body: (ConfigNode) -> Value) -> Value {
        guard case .alias(let target) = node.content else { return body(node) }
        trail.append(node.range)
        defer { trail.removeLast() }
        return withTarget(of: target, body)
    }

    /// The value of `member`; problems in it name the merges that brought it here, too.
    package func withValue<Value>(of member: ConfigNode.Member, _ body: (ConfigNode) -> Value) -> Value {
        trail.append(contentsOf: member.merges)
        defer { trail.removeLast(member.merges.count) }
        return withTarget(of: member.value, body)
    }

    /// The value of a member behind all aliases; until the trail is left to `depth`, problems name the merges and aliases on the way.
    func enter(_ value: ConfigNode, merges: [TextRange]) -> (node: ConfigNode, depth: Int) {
        let depth = trail.count
        if !merges.isEmpty { trail.append(contentsOf: merges) }
        var node = value
        while case .alias(let target) = node.content {
            trail.append(node.range)
            node = target
        }
        return (node, depth)
    }

    /// Ends what ``enter(_:merges:)`` began.
    func leave(to depth: Int) {
        if trail.count > depth { trail.removeLast(trail.count - depth) }
    }

    /// Where a part of the text of `node` stands: exactly where one line holds the text as it is, else the whole scalar.
    func range(of part: Range<Int>, in node: ConfigNode) -> TextRange {
        let node = node.target
        guard case .scalar(let scalar) = node.content else { return node.range }
        let (start, end) = (node.range.start, node.range.end)
        if let indent = scalar.indent { return range(of: part, inBlock: measure(of: scalar, at: node.range), after: start.line, indent) }
        guard start.line == end.line else { return node.range }
        let quotes = end.column - start.column - measure(of: scalar, at: node.range).count
        guard quotes == (scalar.isPlain ? 0 : 2) else { return node.range }
        let column = start.column + quotes / 2
        return TextRange(
            TextPosition(line: start.line, column: column + part.lowerBound),
            TextPosition(line: start.line, column: column + part.upperBound))
    }

    /// Where a part of the text of a block scalar stands, which begins in the line after its `|`.
    private func range(of part: Range<Int>, inBlock measure: ScalarMeasure, after line: Int, _ indent: Int) -> TextRange {
        func position(_ offset: Int) -> TextPosition {
            let position = measure.position(of: offset)
            return TextPosition(line: line + 1 + position.line, column: indent + 1 + position.column)
        }
        return TextRange(position(part.lowerBound), position(part.upperBound))
    }

    /// The measure of `scalar`; kept until another scalar is asked for, since a text may have very many parts with a place.
    private func measure(of scalar: ConfigNode.Scalar, at range: TextRange) -> ScalarMeasure {
        if let measured, measured.range == range { return measured.measure }
        let measure = ScalarMeasure(scalar.text, hasLines: scalar.indent != nil)
        measured = (range, measure)
        return measure
    }
}

/// The length of a scalar's text and the beginnings of its lines, in Unicode scalars: what is needed to place any number of its parts.
struct ScalarMeasure {
    /// How many Unicode scalars the text has.
    let count: Int
    /// Where lines begin; empty unless they were asked for.
    private let lineStarts: [Int]

    /// Measures `text`; its lines only for a block, where each is a line of the file.
    init(_ text: String, hasLines: Bool) {
        guard hasLines else {
            count = text.unicodeScalars.count
            lineStarts = []
            return
        }
        var (count, starts) = (0, [0])
        for scalar in text.unicodeScalars {
            count += 1
            if scalar == "\n" { starts.append(count) }
        }
        (self.count, lineStarts) = (count, starts)
    }

    /// The line, from 0, and the Unicode scalars before `offset` in it.
    func position(of offset: Int) -> (line: Int, column: Int) {
        let offset = min(offset, count)
        var (low, high) = (0, lineStarts.count)
        while low < high {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? (low - 1, offset - lineStarts[low - 1]) : (0, offset)
    }
}

internal import Pipeline
internal import PipelineConfig

/// Builds the tree of one document from its events: resolves aliases and merges, watches over the limits.
struct YAMLComposer {
    /// A node with the number of nodes it stands for, aliases counted with all they name.
    struct Composed {
        let node: ConfigNode
        let size: Extent
    }

    /// The size of a node, aliases counted with all they name.
    struct Extent {
        var nodes = 0
        /// The bytes of the scalars.
        var bytes = 0

        mutating func add(_ text: String) {
            nodes += 1
            bytes += text.utf8.count
        }

        mutating func add(_ size: Extent) {
            nodes += size.nodes
            bytes += size.bytes
        }
    }

    /// Ends the reading; what is wrong has been reported.
    private struct Stop: Error {}

    private let parser: YAMLParser
    private let file: String
    private let limits: ConfigLimits
    let lines: SourceLines
    private var anchors: [String: Composed] = [:]
    private var open: [String: TextRange] = [:]
    private(set) var diagnostics: [Diagnostic] = []
    /// The places of quoted and block scalars, in the order of the text: a `#` in them begins no comment.
    private(set) var texts: [TextRange] = []
    /// The lines of which the white space may belong to a scalar.
    private(set) var scalarLines: [ScalarLines] = []
    /// The indentation of the line that was last asked about: a line may have very many scalars.
    private var lastIndent: (line: Int, count: Int)?

    init(_ text: [UInt8], lines: SourceLines, file: String, limits: ConfigLimits) {
        parser = YAMLParser(text, lines: lines)
        self.lines = lines
        self.file = file
        self.limits = limits
    }

    /// The document; nil if the text has none, or one that cannot be read.
    mutating func compose() -> ConfigNode? {
        var root: ConfigNode?
        var hasDocument = false
        do {
            while true {
                let event = try next()
                switch event.kind {
                case .streamEnd: return root
                case .documentStart where hasDocument:
                    report(
                        .severalDocuments, "a second document begins here: a configuration is one document", at: event.range,
                        help: "put it into a file of its own")
                    return nil
                case .documentStart:
                    hasDocument = true
                    var size = Extent()
                    root = try node(from: try next(), depth: 0, adding: &size)
                default: break
                }
            }
        } catch {
            return nil
        }
    }

    private mutating func next() throws(Stop) -> YAMLParser.Event {
        do {
            return try parser.next()
        } catch {
            let diagnostic = YAMLSyntax.diagnostic(for: error, in: lines, file: file)
            // A slip that makes the text unreadable is one problem.
            diagnostics.removeAll { $0.range.start.line == diagnostic.range.start.line }
            diagnostics.append(diagnostic)
            throw Stop()
        }
    }

    mutating func report(
        _ code: DiagnosticCode, _ message: String, at range: TextRange, help: String? = nil, related: [Diagnostic.Related] = [],
        fix: TextFix? = nil
    ) {
        guard diagnostics.count < DiagnosticList.most else { return }
        diagnostics.append(Diagnostic(code, message, file: file, range: range, help: help, related: related, fix: fix))
        guard diagnostics.count == DiagnosticList.most else { return }
        diagnostics.append(.tooMany(DiagnosticList.most, in: file, at: range))
    }
}

extension YAMLComposer {
    /// The white space before the first sign of a line that can be seen.
    func indentation(ofLine number: Int) -> String.UnicodeScalarView.SubSequence {
        lines[number].unicodeScalars.prefix { $0 == " " || YAMLSlip.isNoBreakSpace($0) }
    }

    /// The number of signs of the indentation of a line.
    mutating func indent(ofLine number: Int) -> Int {
        if let lastIndent, lastIndent.line == number { return lastIndent.count }
        let count = indentation(ofLine: number).count
        lastIndent = (number, count)
        return count
    }

    /// - Parameter size: to which is added what it stands for.
    private mutating func node(from event: YAMLParser.Event, depth: Int, adding size: inout Extent) throws(Stop) -> ConfigNode {
        guard depth <= limits.depth else {
            report(
                .overLimit, "nested deeper than \(limits.depth) levels", at: event.range, help: "no configuration needs so many")
            throw Stop()
        }
        if let word = event.word {
            size.add(word)
            return ConfigNode(.scalar(ConfigNode.Scalar(text: withoutSlips(word, at: event.range), isPlain: true)), at: event.range)
        }
        if let anchor = event.anchor { open[anchor] = event.range }
        var own = Extent()
        let node = try content(of: event, depth: depth, adding: &own)
        try check(own, at: event.range)
        if let anchor = event.anchor {
            open[anchor] = nil
            anchors[anchor] = Composed(node: node, size: own)
        }
        size.add(own)
        return node
    }

    private mutating func content(of event: YAMLParser.Event, depth: Int, adding size: inout Extent) throws(Stop) -> ConfigNode {
        checkTag(of: event)
        switch event.kind {
        case .alias(let name): return try alias(name, at: event.range, adding: &size)
        case .sequenceStart: return try sequence(from: event, depth: depth, adding: &size)
        case .mappingStart: return try mapping(from: event, depth: depth, adding: &size)
        case .scalar(let text, let style):
            if style != .plain, text.utf8.contains(UInt8(ascii: "#")) { keepPlace(of: event.range, style) }
            if event.range.start.line < event.range.end.line {
                scalarLines.append(ScalarLines(event.range, style))
            }
            let isText = event.tag == "tag:yaml.org,2002:str" || event.tag == "!"
            let hasProperties = event.anchor != nil || event.tag != nil
            let range = hasProperties ? lines.withoutProperties(event.range) : event.range
            let indent = style == .block ? lines.indent(ofBlock: text, at: range.start) : nil
            let text = style == .plain ? withoutSlips(text, at: range) : text
            let scalar = ConfigNode.Scalar(text: text, isPlain: style == .plain && !isText, indent: indent)
            size.add(text)
            return ConfigNode(.scalar(scalar), at: range)
        default: throw Stop()
        }
    }

    /// Watches the sum of the nodes that aliases stand for: only they can stand for more nodes than the text has.
    private mutating func check(_ size: Extent, at range: TextRange) throws(Stop) {
        guard size.bytes <= limits.bytes else {
            report(
                .overLimit,
                "more than \(Size(bytes: limits.bytes).written ?? "") of text, aliases counted with all they stand for", at: range,
                help: "an alias repeats what it stands for; write out what is needed")
            throw Stop()
        }
        guard size.nodes <= limits.nodes else {
            report(
                .overLimit, "more than \(limits.nodes) nodes, aliases counted with all they stand for", at: range,
                help: anchors.isEmpty
                    ? "no configuration needs so many" : "an alias of a list of aliases multiplies; write out what is needed")
            throw Stop()
        }
    }

    /// Keeps the place of a scalar. A comment may stand after the `|` or `>` of a block scalar; its text begins on the next line.
    private mutating func keepPlace(of range: TextRange, _ style: YAMLParser.Event.ScalarStyle) {
        let start = style == .block ? TextPosition(line: range.start.line + 1, column: 1) : range.start
        texts.append(TextRange(start, range.end))
    }

    private mutating func alias(_ name: String, at range: TextRange, adding size: inout Extent) throws(Stop) -> ConfigNode {
        if let start = open[name] {
            report(
                .overLimit, "the alias `*\(name.shortened)` stands inside its own anchor", at: range, help: "write out what is meant",
                related: [Diagnostic.Related("the anchor `&\(name.shortened)` begins here", at: start)])
            throw Stop()
        }
        guard let target = anchors[name] else {
            report(
                .yamlSyntax, "undefined alias `*\(name.shortened)`", at: range,
                help: NearestName.help(for: "*" + name, among: anchors.keys.map { "*" + $0 }, noun: "anchors")
                    ?? "an anchor `&\(name.shortened)` must stand before it, or put quotes around text that begins with `*`")
            throw Stop()
        }
        size.add(target.size)
        return ConfigNode(.alias(target.node), at: range)
    }

    private mutating func sequence(
        from start: YAMLParser.Event, depth: Int, adding size: inout Extent
    ) throws(Stop) -> ConfigNode {
        var elements: [ConfigNode] = []
        size.nodes += 1
        while true {
            let event = try next()
            if case .sequenceEnd = event.kind {
                return ConfigNode(.sequence(elements), at: Self.range(from: start, to: event, last: elements.last?.range))
            }
            elements.append(try node(from: event, depth: depth + 1, adding: &size))
            try check(size, at: event.range)
        }
    }

    private mutating func mapping(
        from start: YAMLParser.Event, depth: Int, adding size: inout Extent
    ) throws(Stop) -> ConfigNode {
        var members = YAMLMembers()
        size.nodes += 1
        var last: TextRange?
        while true {
            let event = try next()
            if case .mappingEnd = event.kind {
                return ConfigNode(.mapping(members.all), at: Self.range(from: start, to: event, last: last))
            }
            // Of a key that is a word no node is needed; it counts as one.
            let word = event.word
            let key = word == nil ? try node(from: event, depth: depth + 1, adding: &size) : nil
            if let word { size.add(word) }
            let value = try node(from: try next(), depth: depth + 1, adding: &size)
            try check(size, at: event.range)
            last = value.range
            if let word {
                add(withoutSlips(word, at: event.range), isPlain: true, at: event.range, value, to: &members)
            } else if let key {
                add(key, value, to: &members)
            }
        }
    }

    /// The place of a list or mapping. A block ends with what is last in it; libyaml lets it end where the next line begins.
    private static func range(from start: YAMLParser.Event, to end: YAMLParser.Event, last: TextRange?) -> TextRange {
        let isBlock = end.range.start == end.range.end
        return TextRange(start.range.start, isBlock ? last?.end ?? start.range.end : end.range.end)
    }

    private mutating func add(_ key: ConfigNode, _ value: ConfigNode, to members: inout YAMLMembers) {
        guard let scalar = key.scalar ?? key.unaliased.scalar else {
            report(
                .wrongType, "a key must be a word, not a list or a mapping", at: key.range,
                help: "write a name before the `:`, in quotes when it has brackets or braces in it")
            return
        }
        add(scalar.text, isPlain: scalar.isPlain, at: key.range, value, to: &members)
    }

    private mutating func add(
        _ key: String, isPlain: Bool, at range: TextRange, _ value: ConfigNode, to members: inout YAMLMembers
    ) {
        if isPlain, key == "<<" {
            merge(value, at: range, into: &members)
            return
        }
        if isPlain, reportSlip(inKey: key, at: range) { return }
        if key.hasByte(UInt8(ascii: "$")), key.contains("${") {
            report(
                .malformed, "a variable stands in values, not in keys: `\(key.shortened)`", at: range, help: "write the name itself")
            return
        }
        if let first = members.add(ConfigNode.Member(key: key, keyRange: range, value: value)) {
            report(
                .duplicateKey, "the key `\(key.shortened)` is given twice", at: range, help: "remove one of the two",
                related: [Diagnostic.Related("first given here", at: first)])
        }
    }

    private mutating func merge(_ value: ConfigNode, at range: TextRange, into members: inout YAMLMembers) {
        switch value.unaliased.content {
        case .mapping(let merged): members.merge(merged, at: range)
        case .sequence(let elements):
            for element in elements {
                guard case .mapping(let merged) = element.unaliased.content else {
                    report(
                        .wrongType, "`<<` merges mappings, and this is not one", at: element.range,
                        help: "name an anchored mapping, as in `<<: *name`")
                    continue
                }
                members.merge(merged, at: range)
            }
        default:
            report(
                .wrongType, "`<<` merges a mapping or a list of mappings", at: value.range,
                help: "name an anchored mapping, as in `<<: *name`")
        }
    }

    private mutating func checkTag(of event: YAMLParser.Event) {
        guard let tag = event.tag, tag != "!", !tag.hasPrefix("tag:yaml.org,2002:") else { return }
        report(.wrongType, "unknown tag `\(tag.shortened)`: the fields decide what a value is", at: event.range, help: "remove the tag")
    }
}

extension ConfigNode {
    /// The node behind an alias, or the node itself.
    fileprivate var unaliased: ConfigNode {
        if case .alias(let target) = content { target.unaliased } else { self }
    }

    /// The scalar it is; nil for anything else.
    fileprivate var scalar: Scalar? {
        if case .scalar(let scalar) = content { scalar } else { nil }
    }
}

/// The members of a mapping while it is read: keys are compared by their bytes, and what was written wins over what is merged.
struct YAMLMembers {
    private var written: [ConfigNode.Member] = []
    private var merged: [ConfigNode.Member] = []
    /// Built when a mapping is large; a small one is looked through.
    private var index: [ExactName: Int] = [:]
    private var mergedKeys: Set<ExactName> = []

    private static let small = 12
    /// The number of members that a mapping mostly has at most.
    private static let usual = 4

    /// All members: the merged ones first, as if they stood above.
    var all: [ConfigNode.Member] {
        merged.isEmpty ? written : merged.filter { position(of: $0.key) == nil } + written
    }

    /// Adds a member; gives the place of the key when it is there already, and then keeps the first.
    mutating func add(_ member: consuming ConfigNode.Member) -> TextRange? {
        if let first = position(of: member.key) { return written[first].keyRange }
        if written.isEmpty { written.reserveCapacity(Self.usual) }
        written.append(member)
        if written.count == Self.small {
            for (position, member) in written.enumerated() { index[ExactName(member.key)] = position }
        } else if written.count > Self.small {
            index[ExactName(written[written.count - 1].key)] = written.count - 1
        }
        return nil
    }

    /// Adds members of a merged mapping, unless they are there.
    mutating func merge(_ members: [ConfigNode.Member], at range: TextRange) {
        // Most members came the same way, and share the list of it.
        var last: (before: [TextRange], after: [TextRange]) = ([], [range])
        for member in members where mergedKeys.insert(ExactName(member.key)).inserted {
            if member.merges != last.before {
                last = (member.merges, member.merges.count < ConfigNode.Member.mostMerges ? [range] + member.merges : member.merges)
            }
            merged.append(
                ConfigNode.Member(key: member.key, keyRange: member.keyRange, value: member.value, merges: last.after))
        }
    }

    private func position(of key: String) -> Int? {
        written.count < Self.small
            ? written.indices.first { written[$0].key.hasSameBytes(as: key) } : index[ExactName(key)]
    }
}

extension FieldDecoder {
    /// `path`, which is written in `node`, from the working directory: a relative one starts from the folder of the configuration, and
    /// `~/` is the home folder. Nil, and reported, when that is not known.
    package func resolved(_ path: String, of node: ConfigNode) -> String? {
        let resolved = environment.opened(path, from: folder)
        if resolved == nil { reportMissingHome(in: node) }
        return resolved
    }

    /// Reports that the file at `path`, which is written in `node`, cannot be opened.
    func reportMissingFile(at path: String, of node: ConfigNode) {
        guard let problem = environment.problem(path) else { return }
        report(
            .fileMissing, "cannot read the file of `\(fieldName)`: \(problem.reason)", at: node,
            help: path.utf8.first == UInt8(ascii: "/")
                ? "correct the path, or remove `\(fieldName)`"
                : "paths are relative to the folder of `\(file)`; correct it, or remove `\(fieldName)`")
    }

    func reportMissingHome(in node: ConfigNode) {
        report(
            .variableNotSet, "environment variable `HOME` is not set, and `~/` stands for the folder that it names",
            at: place(of: subrange(of: node, offset: 0, length: 2), in: node), help: "set it, or write the whole path")
    }

    /// Remembers that the text of `node` takes the value of a parameter, which is written `:name` at `part` of it.
    ///
    /// - Parameter part: in Unicode scalars; nil where a variable gives the text.
    package func noteUse(ofParameter parameter: String, at part: Range<Int>?, of node: ConfigNode) {
        parameterUses.append(ParameterUse(parameter: parameter, place: place(of: part, in: node), style: .colon))
    }

    /// Reports a problem of `part` of the text of `node`, in Unicode scalars; of the whole when it is nil.
    package func report(
        _ code: DiagnosticCode, _ message: String, at part: Range<Int>?, of node: ConfigNode, severity: Diagnostic.Severity? = nil,
        help: String? = nil
    ) {
        report(code, message, at: place(of: part, in: node), severity: severity, help: help)
        if severity == .warning, code.severity == .error { overlookLastError() }
    }

    private func place(of part: Range<Int>?, in node: ConfigNode) -> ConfigPlace {
        let range =
            part.map { subrange(of: node, offset: $0.lowerBound, length: $0.count) } ?? withTarget(of: node) { $0.range }
        return place(of: range, in: node)
    }

    /// `range` within the scalar of `node`, with the alias that `node` may be.
    func place(of range: TextRange, in node: ConfigNode) -> ConfigPlace {
        withTarget(of: node) { _ in place(of: range) }
    }

    /// The place of a part of a scalar, where one line holds it as it is; else of the whole scalar.
    func subrange(of node: ConfigNode, offset: Int, length: Int) -> TextRange {
        withTarget(of: node) { node in
            guard case .scalar(let scalar) = node.content else { return node.range }
            if let indent = scalar.indent {
                return Self.subrange(ofBlock: measure(of: scalar, at: node.range), at: node.range, indent: indent, offset, length)
            }
            guard node.range.start.line == node.range.end.line else { return node.range }
            let width = node.range.end.column - node.range.start.column
            let quotes = width - measure(of: scalar, at: node.range).count
            guard quotes == (scalar.isPlain ? 0 : 2) else { return node.range }
            let column = node.range.start.column + quotes / 2 + offset
            return TextRange(
                TextPosition(line: node.range.start.line, column: column),
                TextPosition(line: node.range.start.line, column: column + length))
        }
    }

    /// The place of a part of a block scalar, whose text begins in the line after its `|`.
    private static func subrange(
        ofBlock measure: ScalarMeasure, at range: TextRange, indent: Int, _ offset: Int, _ length: Int
    ) -> TextRange {
        func position(_ offset: Int) -> TextPosition {
            let (line, column) = measure.position(of: offset)
            return TextPosition(line: range.start.line + 1 + line, column: indent + 1 + column)
        }
        return TextRange(position(offset), position(offset + length))
    }

    /// The measure of `scalar`; kept until another scalar is asked for, since a text may have very many parts with a place.
    private func measure(of scalar: ConfigNode.Scalar, at range: TextRange) -> ScalarMeasure {
        if let measured, measured.range == range { return measured.measure }
        let measure = ScalarMeasure(scalar.text, hasLines: scalar.indent != nil)
        measured = (range, measure)
        return measure
    }
}

/// Reads the values of one configuration and collects every problem on the way.
///
/// Not shared between tasks: one decoder reads one file, from the top down.
public final class FieldDecoder {
    /// A parameter that a template names, and where.
    struct ParameterUse {
        let parameter: String
        let range: TextRange
    }

    /// The file as the user named it.
    let file: String
    /// The folder that relative paths start from; empty for the working directory.
    public let folder: String
    /// The key of the field that is being read.
    public internal(set) var fieldName = ""

    private let environment: ConfigEnvironment
    private(set) var diagnostics: [Diagnostic] = []
    private(set) var secrets: Set<String> = []
    private(set) var secretRanges: [TextRange] = []
    private(set) var parameterUses: [ParameterUse] = []
    /// What the fields read so far withdraw from the source's capabilities.
    var withdrawn: Capabilities = []
    private var trail: [TextRange] = []

    init(file: String, folder: String, environment: ConfigEnvironment) {
        self.file = file
        self.folder = folder
        self.environment = environment
    }

    /// Reports a problem of `node`.
    public func report(_ code: DiagnosticCode, _ message: String, at node: ConfigNode, help: String? = nil) {
        report(code, message, range: node.range, help: help)
    }

    func report(
        _ code: DiagnosticCode, _ message: String, range: TextRange, help: String? = nil, related: [Diagnostic.Related] = []
    ) {
        let uses = trail.reversed().map { Diagnostic.Related("it comes in here", at: $0) }
        diagnostics.append(
            Diagnostic(code, message, file: file, range: range, help: help, related: related + uses))
    }

    /// The node behind an alias, or `node` itself; problems below it then name the alias, too.
    func withTarget<Value>(of node: ConfigNode, _ body: (ConfigNode) -> Value) -> Value {
        guard case .alias(let target) = node.content else { return body(node) }
        trail.append(node.range)
        defer { trail.removeLast() }
        return withTarget(of: target, body)
    }

    /// The value of `member`; problems in it name the merges that brought it here, too.
    func withValue<Value>(of member: ConfigNode.Member, _ body: (ConfigNode) -> Value) -> Value {
        trail.append(contentsOf: member.merges)
        defer { trail.removeLast(member.merges.count) }
        return withTarget(of: member.value, body)
    }

    /// The text of a scalar, its variables looked up; nil, and reported, when there is none.
    ///
    /// - Parameter expectation: what should stand there, as `a duration, as 30s`.
    public func text(of node: ConfigNode, expecting expectation: String) -> String? {
        interpolated(node, expecting: expectation)?.text
    }

    /// Remembers a text that must not show in any message.
    public func keepSecret(_ text: String) {
        if text.utf8.count >= 4 { secrets.insert(text) }
    }
}

extension FieldDecoder {
    func interpolated(_ node: ConfigNode, expecting expectation: String) -> InterpolatedText? {
        guard let scalar = scalar(of: node, expecting: expectation) else { return nil }
        guard scalar.text.utf8.contains(UInt8(ascii: "$")) else {
            return InterpolatedText(pieces: scalar.text.isEmpty ? [] : [.literal(scalar.text, offset: 0)])
        }
        var interpolator = Interpolator(
            lookUp: environment.variable,
            readFile: { [environment, folder] in
                environment.file($0.hasPrefix("/") || folder.isEmpty ? $0 : folder + "/" + $0)
            })
        interpolator.interpolate(scalar.text)
        for problem in interpolator.problems { report(problem, in: node) }
        return interpolator.problems.isEmpty ? interpolator.result : nil
    }

    func scalar(of node: ConfigNode, expecting expectation: String) -> ConfigNode.Scalar? {
        withTarget(of: node) { node in
            guard case .scalar(let scalar) = node.content, !node.isNull else {
                report(
                    .wrongType, "expected \(expectation) for `\(fieldName)`, found \(node.kind)", at: node,
                    help: helpForUnquotedBraces(node))
                return nil
            }
            return scalar
        }
    }

    /// Reads the template of `node`, and remembers which parameters it uses.
    func template(
        of node: ConfigNode, expecting expectation: String, isLenient: Bool = false
    ) -> (Template, InterpolatedText)? {
        guard let text = interpolated(node, expecting: expectation) else { return nil }
        let template = Template(text, isLenient: isLenient)
        guard template.problems.isEmpty else {
            for problem in template.problems {
                report(
                    .malformed, "malformed template for `\(fieldName)`: \(problem.message)",
                    range: subrange(of: node, offset: problem.offset, length: problem.length),
                    help: "a parameter is written `{name}`")
            }
            return nil
        }
        for use in template.uses {
            let range = subrange(of: node, offset: use.offset, length: use.parameter.unicodeScalars.count + 2)
            parameterUses.append(ParameterUse(parameter: use.parameter, range: range))
        }
        return (template, text)
    }

    func keepSecretRange(_ range: TextRange) {
        secretRanges.append(range)
    }

    /// Takes the uses that were noted since the last call.
    func takeParameterUses() -> [ParameterUse] {
        defer { parameterUses = [] }
        return parameterUses
    }

    /// The place of a part of a scalar, where one line holds it as it is; else of the whole scalar.
    private func subrange(of node: ConfigNode, offset: Int, length: Int) -> TextRange {
        withTarget(of: node) { node in
            guard case .scalar(let scalar) = node.content, node.range.start.line == node.range.end.line else { return node.range }
            let width = node.range.end.column - node.range.start.column
            let quotes = width - scalar.text.unicodeScalars.count
            guard quotes == (scalar.isPlain ? 0 : 2) else { return node.range }
            let column = node.range.start.column + quotes / 2 + offset
            return TextRange(
                TextPosition(line: node.range.start.line, column: column),
                TextPosition(line: node.range.start.line, column: column + length))
        }
    }

    private func report(_ problem: Interpolator.Problem, in node: ConfigNode) {
        switch problem {
        case .malformed(let message, let offset, let length):
            report(.malformed, message, range: subrange(of: node, offset: offset, length: length), help: "write `$$` for a `$` itself")
        case .notSet(let name, let advice, let offset, let length):
            report(
                .variableNotSet, "environment variable `\(name)` is not set",
                range: subrange(of: node, offset: offset, length: length),
                help: advice.flatMap { $0.isEmpty ? nil : $0 }
                    ?? "set it, or give a default: `${\(name):-value}`")
        case .noFile(let path, let reason, let offset, let length):
            report(
                .fileMissing, "cannot read the file `\(path.shortened)`: \(reason)",
                range: subrange(of: node, offset: offset, length: length),
                help: "paths are relative to the folder of `\(file)`")
        }
    }

    /// `path: {key}` is a mapping to YAML: shows the quoted text that was meant.
    private func helpForUnquotedBraces(_ node: ConfigNode) -> String? {
        guard case .mapping(let members) = node.content, members.count == 1, let member = members.first, member.value.isNull,
            Identifier.isValid(member.key)
        else { return nil }
        return "quote the braces: `\(fieldName): \"{\(member.key)}\"`"
    }
}

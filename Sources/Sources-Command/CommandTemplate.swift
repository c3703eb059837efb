internal import Pipeline
public import PipelineConfig

/// The command line of a program: the program and its arguments, each of them a template. No shell reads it, so that a value stays one
/// argument.
public struct CommandTemplate: Sendable, Hashable {
    /// The program as it is written: a name to look up in `PATH`, or a path.
    let program: String
    let arguments: [TextTemplate]
    /// The folder that the program runs in; empty for the working directory.
    let folder: String

    /// A command that runs `program` in `folder`; empty is the working directory.
    ///
    /// - Parameter arguments: what comes after the program.
    public init(_ program: String, _ arguments: [TextTemplate] = [], folder: String = "") {
        self.program = program
        self.arguments = arguments
        self.folder = folder
    }

    /// The arguments of the program for `key`.
    ///
    /// A value that begins with `-` would be an option to most programs, and so more than data: where an argument would begin with it, this
    /// throws, unless an argument before it is `--`, after which programs take no options.
    func arguments(for key: Key, allowingLeadingDash: Bool) throws(SourceError) -> [String] {
        var isAfterOptions = allowingLeadingDash
        var filled: [String] = []
        for argument in arguments {
            let text = argument.filled(for: key)
            if let parameter = argument.leadingParameter {
                guard isAfterOptions || text.utf8.first != UInt8(ascii: "-") else {
                    throw SourceError(
                        "cannot run \(program): an argument that begins with `{\(parameter)}` would begin with `-`, as options do; put `--` "
                            + "before it, or set `leading_dash: true`")
                }
            } else if text == "--" {
                isAfterOptions = true
            }
            filled.append(text)
        }
        return filled
    }
}

extension CommandTemplate: FieldValue {
    /// A list of templates, at least one.
    public static var fieldType: FieldType { .list(TextTemplate.fieldType, atLeast: 1) }

    /// Decodes a list whose first element is the program, which no parameter can choose.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> CommandTemplate? {
        guard let templates = [TextTemplate].decode(node, with: decoder), let written = elements(of: node) else { return nil }
        guard let first = written.first else {
            decoder.report(
                .outOfRange, "`\(decoder.fieldName)` needs at least a program", at: node,
                help: "name it, and then its arguments: `[PROGRAM, ARGUMENT]`")
            return nil
        }
        guard templates.count == written.count else { return nil }
        guard templates[0].isConstant else {
            decoder.report(
                .notAllowed, "a parameter is not allowed in the program of `\(decoder.fieldName)`", at: first,
                help: "name the program, and give the parameter as an argument")
            return nil
        }
        let program = templates[0].prefix
        guard !program.isEmpty, !program.utf8.contains(0) else {
            let problem = program.isEmpty ? "it is empty" : "there is a NUL character in it"
            decoder.report(.malformed, "malformed program for `\(decoder.fieldName)`: \(problem)", at: first)
            return nil
        }
        return CommandTemplate(program, Array(templates.dropFirst()), folder: decoder.folder)
    }

    /// The text of a default, always nil: a command is no default.
    public var written: String? { nil }

    private static func elements(of node: ConfigNode) -> [ConfigNode]? {
        switch node.content {
        case .sequence(let elements): elements
        case .alias(let target): elements(of: target)
        case .scalar, .mapping: nil
        }
    }
}

internal import Pipeline

extension FieldDecoder {
    /// The text of a scalar, its variables looked up; nil, and reported, when there is none.
    ///
    /// - Parameter expectation: what should stand there, as `a duration, as 30s`.
    public func text(of node: ConfigNode, expecting expectation: String) -> String? {
        guard let scalar = scalar(of: node, expecting: expectation) else { return nil }
        guard scalar.text.hasByte(UInt8(ascii: "$")) else { return scalar.text }
        return interpolated(node, expecting: expectation)?.text
    }

    func interpolated(_ node: ConfigNode, expecting expectation: String) -> InterpolatedText? {
        guard let (text, isComplete) = interpolation(of: node, expecting: expectation) else { return nil }
        return isComplete ? text : nil
    }

    /// The text of a scalar, and whether every variable in it has a value. A variable without a value is left out, so that the rest can be
    /// checked; nil if the scalar cannot be read at all.
    package func interpolation(of node: ConfigNode, expecting expectation: String) -> (InterpolatedText, isComplete: Bool)? {
        guard let scalar = scalar(of: node, expecting: expectation) else { return nil }
        guard scalar.text.hasByte(UInt8(ascii: "$")) else {
            return (InterpolatedText(pieces: scalar.text.isEmpty ? [] : [.literal(scalar.text, offset: 0)]), true)
        }
        // The first value that did not fit has been reported.
        guard let interpolator = interpolation.read(scalar.text) else { return nil }
        for credential in interpolator.credentials { secrets.keepCredential(credential) }
        if scalar.text.contains(":-") { secrets.keepDefaults(of: node) }
        guard countReferences(interpolator.count, at: node) else { return nil }
        for problem in interpolator.problems { report(problem, in: node) }
        for (name, offset, length) in interpolator.emptyCredentials {
            report(
                .emptyCredential, "environment variable `\(name)` is set, but empty", at: offset..<(offset + length), of: node,
                help: "give it a value; where it may be empty, write `${\(name):-}`")
        }
        guard interpolator.problems.allSatisfy(\.isMissingValue) else { return nil }
        if interpolator.problems.isEmpty { interpolation.noteOrigins(of: interpolator.result, in: node.target) }
        return (interpolator.result, interpolator.problems.isEmpty)
    }

    private func scalar(of node: ConfigNode, expecting expectation: String) -> ConfigNode.Scalar? {
        let target = node.target
        if case .scalar(let scalar) = target.content, !target.isNull { return scalar }
        let isElement = field.elementRange != nil && field.elementRange == node.range
        let braces = target.quotedBraces(for: isElement ? nil : (field.memberName.map(\.inFlow.shortened) ?? fieldName))
        report(
            .wrongType, "expected \(expectation) for `\(fieldName)`, found \(target.kind)", at: places.place(of: nil, in: node),
            help: braces?.help ?? (target.isNull ? "give it a value, or remove it" : helpWithoutBrackets(target)), fix: braces?.fix)
        return nil
    }

    /// `node` as messages quote it: as it is written, variables not replaced, or `the value` when it is secret.
    package func quoted(_ node: ConfigNode) -> String {
        let node = node.target
        return node.scalarText != nil && secrets.holds(node.range) ? "the value" : node.kind
    }

    /// Counts `count` variables and parameters at `node`; false, and reported once, when the configuration has too many.
    private func countReferences(_ count: Int, at node: ConfigNode) -> Bool {
        guard interpolation.referenceRoom >= 0 else { return false }
        interpolation.takeRoom(forReferences: count)
        guard interpolation.referenceRoom < 0 else { return true }
        report(
            .overLimit, "more than \(Interpolation.mostReferences) variables and parameters", at: node,
            help: "no configuration needs so many")
        return false
    }

    private func report(_ problem: Interpolator.Problem, in node: ConfigNode) {
        switch problem {
        case .malformed(let message, let meant, let offset, let length):
            report(
                .malformed, message, at: offset..<(offset + length), of: node,
                help: meant.map { "write `\(written($0))`" } ?? "a variable is written `${NAME}`, and `$$` stands for a `$` itself")
        case .notSet(let name, let advice, let offset, let length):
            // One that is empty will not do where the file says what to do without it.
            let isEmpty = variable(name)?.isEmpty ?? false
            report(
                .variableNotSet, "environment variable `\(name)` is not set\(isEmpty ? ", or empty" : "")",
                at: places.place(of: offset..<(offset + length), in: node),
                help: known.parameters.contains(name) && length == name.unicodeScalars.count + 3
                    ? "`\(name)` is a parameter: write `{\(name)}`" : "set it, or give a default: `${\(name):-value}`",
                writtenHelp: advice.flatMap { $0.isEmpty ? nil : $0.shortened(to: 200) })
        case .noFile(let path, let reason, let offset, let length):
            report(
                .fileMissing, "cannot read the file `\(path.shortened)`: \(reason)", at: offset..<(offset + length), of: node,
                help: "paths are relative to the folder of `\(file)`")
        case .tooLarge(let offset, let length):
            report(
                .overLimit, "the values of variables and files come to more than \(Interpolation.mostValueBytes >> 20) MiB",
                at: offset..<(offset + length), of: node, help: "use shorter values")
        }
    }
}

extension FieldDecoder {
    /// Reads the template of `node`, and remembers which parameters it uses.
    func template(
        of node: ConfigNode, expecting expectation: String, isLenient: Bool = false
    ) -> (Template, InterpolatedText)? {
        guard let (text, isComplete) = interpolation(of: node, expecting: expectation) else {
            notes.hasUnreadTexts = true
            return nil
        }
        // In a path, a URL, a query or a command.
        for (name, range) in secrets.keepDefaults(of: node) where Credential.isBeside(name) {
            reportDefault(of: name, at: range, of: node)
        }
        let template = Template(text, isLenient: isLenient, limit: interpolation.referenceRoom + 1)
        guard countReferences(template.uses.count + template.problems.count, at: node) else { return nil }
        guard template.problems.isEmpty else {
            notes.hasUnreadTexts = true
            for problem in template.problems {
                report(
                    .malformed, "malformed template for `\(fieldName)`: \(problem.message)",
                    at: problem.offset..<(problem.offset + problem.length), of: node,
                    help: problem.meant.map { "write `\($0)`" } ?? "a parameter is written `{name}`, with letters, digits and `_`")
            }
            return nil
        }
        for use in template.uses {
            let part = use.offset..<(use.offset + use.parameter.unicodeScalars.count + 2)
            notes.parameterUses.append(ParameterUse(parameter: use.parameter, place: places.place(of: part, in: node)))
        }
        return isComplete ? (template, text) : nil
    }

    /// Remembers that the text of `node` takes the value of a parameter, which is written `:name` at `part` of it.
    ///
    /// - Parameter part: in Unicode scalars; nil if a variable gives the text.
    package func noteUse(ofParameter parameter: String, at part: Range<Int>?, of node: ConfigNode) {
        notes.parameterUses.append(ParameterUse(parameter: parameter, place: places.place(of: part, in: node), style: .colon))
    }

}

extension FieldDecoder {
    /// The value of an environment variable that the file does not name; nil when it is not set.
    package func variable(_ name: String) -> String? { interpolation.environment.variable(name) }

    /// `path`, which is written in `node`, from the working directory: a relative one starts from the folder of the configuration, and
    /// `~/` is the home folder. Nil, and reported, when that is not known.
    package func resolved(_ path: String, of node: ConfigNode) -> String? {
        let resolved = interpolation.environment.opened(path, from: folder)
        if resolved == nil { reportMissingHome(in: node) }
        return resolved
    }

    /// Reports that the file at `path`, which is written in `node`, cannot be opened.
    func reportMissingFile(at path: String, of node: ConfigNode) {
        guard let problem = interpolation.environment.problem(path) else { return }
        report(
            .fileMissing, "cannot read the file of `\(fieldName)`: \(problem.reason)", at: node,
            help: path.utf8.first == UInt8(ascii: "/")
                ? "correct the path, or remove `\(fieldName)`"
                : "paths are relative to the folder of `\(file)`; correct it, or remove `\(fieldName)`")
    }

    func reportMissingHome(in node: ConfigNode) {
        report(
            .variableNotSet, "environment variable `HOME` is not set, and `~/` stands for the folder that it names",
            at: 0..<2, of: node, help: "set it, or write the whole path")
    }
}

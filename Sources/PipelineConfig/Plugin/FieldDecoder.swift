internal import Pipeline

/// Reads the values of one configuration and collects every problem on the way.
///
/// Not shared between tasks: one decoder reads one file, from the top down.
public final class FieldDecoder {
    /// More problems than anybody reads; what a hostile file has beyond them is not kept.
    package static let mostDiagnostics = 10_000
    /// The most variables and parameters in the texts of one configuration: each has its place and may be a problem.
    private static let mostReferences = 100_000
    /// The most sources, pipelines, tiers and members of maps in one configuration: each is an object, where a node is a few bytes.
    private static let mostParts = 250_000
    /// The most bytes that the variables and files of one configuration may come to.
    private static let mostValueBytes = 16 << 20
    /// Through so many aliases a place is told.
    static let mostUses = ConfigNode.Member.mostMerges
    /// In bytes; a shorter one would be found in words that it has nothing to do with.
    static let shortestSecret = 4

    /// The file as the user named it.
    let file: String
    /// The folder that relative paths start from; empty for the working directory.
    public let folder: String
    /// The key of the field that is being read.
    public internal(set) var fieldName = ""
    /// The name that a value has in the map that is being read; nil outside of one.
    var memberName: String?

    let environment: ConfigEnvironment
    private(set) var diagnostics: [Diagnostic] = []
    private(set) var secrets: Set<String> = []
    var secretPlaces = SecretPlaces()
    var parameterUses: [ParameterUse] = []
    /// What the fields read so far withdraw from the source's capabilities.
    var withdrawn: Capabilities = []
    /// What the fields with roles that were read so far say.
    var fieldNotes: [FieldNote] = []
    /// How many errors were reported, and how many of them only for want of a variable or a file.
    private(set) var errorCount = 0
    private(set) var missingValueCount = 0
    /// The aliases and merges that lead to what is being read.
    private(set) var trail: [TextRange] = []
    private var room = FieldDecoder.mostValueBytes
    /// How many further variables and parameters are read.
    private(set) var referenceRoom = FieldDecoder.mostReferences
    /// How many further sources, pipelines, tiers and members of maps are read.
    private var partRoom = FieldDecoder.mostParts
    /// How many further names are compared, to tell what a mistyped one means.
    private var comparisons = NearestName.mostComparisons
    /// The scalar that was last asked for places within it.
    var measured: (range: TextRange, measure: ScalarMeasure)?
    /// What is left for values that are given as JSON.
    var jsonRoom = FieldDecoder.mostJSONBytes
    /// The types of sources, for what is said of a field at the wrong place.
    var plugins: [SourcePlugin] = []
    /// How many tiers without a ttl each source has that outlives the process.
    var endlessTiers: [ExactName: Int] = [:]
    /// Whether the fields of a source are read, whose texts are sent and opened; a description may say anything.
    var isInSource = false
    /// The section that declares the pipelines, for what is said of their parameters before they are read.
    var pipelinesSection: ConfigNode?
    /// The names of the parameters of all pipelines. Looked up only where a problem asks for them.
    private(set) lazy var parameterNames = PlainWords.parameters(in: pipelinesSection)
    /// The scalars with variables and files in them, by their places.
    var outsideValues: [TextRange: OutsideValues] = [:]

    init(file: String, folder: String, environment: ConfigEnvironment) {
        self.file = file
        self.folder = folder
        self.environment = environment
    }

    /// Reports a problem of `node`.
    ///
    /// Put what you quote into backticks: secrets are masked there, while a word of letters outside of them is taken for your own.
    public func report(_ code: DiagnosticCode, _ message: String, at node: ConfigNode, help: String? = nil) {
        withTarget(of: node) { report(code, message, range: $0.range, help: help) }
    }

    func report(
        _ code: DiagnosticCode, _ message: String, range: TextRange, help: String? = nil, writtenHelp: String? = nil,
        related: [Diagnostic.Related] = []
    ) {
        report(code, message, at: place(of: range), help: help, writtenHelp: writtenHelp, related: related)
    }

    func report(
        _ code: DiagnosticCode, _ message: String, at place: ConfigPlace, severity: Diagnostic.Severity? = nil,
        help: @autoclosure () -> String? = nil, writtenHelp: String? = nil, related: [Diagnostic.Related] = [],
        fix: @autoclosure () -> TextFix? = nil
    ) {
        if code.severity == .error { errorCount += 1 }
        if code.level == .env { missingValueCount += 1 }
        guard diagnostics.count < Self.mostDiagnostics else { return }
        let diagnostic = Diagnostic(
            code, message, file: file, range: place.range, severity: severity, help: help(), related: related + remarks(on: place),
            fix: fix())
        diagnostics.append(writtenHelp.map { diagnostic.withHelp($0, isWritten: true) } ?? diagnostic)
        if diagnostics.count == Self.mostDiagnostics {
            diagnostics.append(.tooMany(Self.mostDiagnostics, in: file, at: place.range))
        }
    }

    /// Whether no further problem is kept. Then one of those that are is an error.
    var isFull: Bool { diagnostics.count > Self.mostDiagnostics }

    /// The known name that comes nearest to `name`; none any more when very many names have been compared.
    func nearest(to name: String, among known: [String]) -> NearestName {
        guard comparisons > 0, !isFull else { return .none }
        comparisons -= min(known.count, NearestName.mostNames)
        return NearestName(to: name, among: known)
    }

    /// Counts a source, a pipeline, a tier or a member of a map at `range`; false, and reported once, when the configuration has too many.
    func countPart(at range: TextRange) -> Bool {
        partRoom -= 1
        if partRoom == -1 {
            report(
                .overLimit, "more than \(Self.mostParts) sources, pipelines, tiers and members of mappings", range: range,
                help: "no configuration needs so many")
        }
        return partRoom >= 0
    }

    /// Counts `count` variables and parameters at `node`; false, and reported once, when the configuration has too many.
    func countReferences(_ count: Int, at node: ConfigNode) -> Bool {
        guard referenceRoom >= 0 else { return false }
        referenceRoom -= count
        guard referenceRoom < 0 else { return true }
        report(
            .overLimit, "more than \(Self.mostReferences) variables and parameters", at: node, help: "no configuration needs so many")
        return false
    }

    /// Gives the problems after the first `count` that have no help the one that `help` makes.
    func addHelp(since count: Int, _ help: (Diagnostic) -> String) {
        for index in diagnostics.indices.dropFirst(count) where diagnostics[index].help == nil {
            diagnostics[index] = diagnostics[index].withHelp(help(diagnostics[index]))
        }
    }

    /// Takes back that the last error leaves something unread: it is reported, and what was read is all there is to know.
    func overlookLastError() {
        errorCount -= 1
    }

    /// `range` with the aliases and merges that lead to what is being read.
    func place(of range: TextRange) -> ConfigPlace {
        ConfigPlace(range: range, uses: trail)
    }

    /// The key of `member` with the merges that brought it here.
    func place(ofKeyOf member: ConfigNode.Member) -> ConfigPlace {
        ConfigPlace(range: member.keyRange, uses: trail + member.merges)
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

    /// The text of a scalar, its variables looked up; nil, and reported, when there is none.
    ///
    /// - Parameter expectation: what should stand there, as `a duration, as 30s`.
    public func text(of node: ConfigNode, expecting expectation: String) -> String? {
        guard let scalar = scalar(of: node, expecting: expectation) else { return nil }
        guard scalar.text.hasByte(UInt8(ascii: "$")) else { return scalar.text }
        return interpolated(node, expecting: expectation)?.text
    }

    /// Remembers a text that must not show in any message.
    public func keepSecret(_ text: String) {
        if text.utf8.count >= Self.shortestSecret { secrets.insert(text) }
    }

    /// Remembers that the value of `node` is secret: its text in the file is masked, and messages do not quote it.
    ///
    /// A reference `${NAME}` stays readable: its value is the secret, and what it names has to be seen.
    public func keepSecretPlace(of node: ConfigNode) {
        withTarget(of: node) { node in
            switch node.content {
            case .scalar(let scalar) where scalar.text.hasByte(UInt8(ascii: "$")):
                keepSecretPlaces(of: node, within: [0..<scalar.text.unicodeScalars.count])
            case .scalar, .alias: secretPlaces.insert(node.range)
            // A list in place of a text: what stands in it is as secret as the text would be.
            case .sequence(let elements):
                secretPlaces.insert(node.range)
                elements.forEach(keepSecretPlace)
            case .mapping(let members):
                secretPlaces.insert(node.range)
                for member in members { keepSecretPlace(of: member.value) }
            }
        }
    }

    /// The same of parts of the text of `node`, in Unicode scalars.
    func keepSecretPlaces(of node: ConfigNode, within parts: [Range<Int>]) {
        for part in VariableReference.rest(of: node.scalarText ?? "", within: parts) {
            keepSecretPart(subrange(of: node, offset: part.lowerBound, length: part.count), of: node)
        }
    }

    /// `node` as messages quote it: as it is written, variables not replaced, or `the value` when it is secret.
    func quoted(_ node: ConfigNode) -> String {
        withTarget(of: node) { node in
            guard node.scalarText != nil else { return node.kind }
            return isSecret(node.range) ? "the value" : node.kind
        }
    }
}

extension FieldDecoder {
    func interpolated(_ node: ConfigNode, expecting expectation: String) -> InterpolatedText? {
        guard let (text, isComplete) = interpolation(of: node, expecting: expectation) else { return nil }
        return isComplete ? text : nil
    }

    /// The text of a scalar, and whether every variable in it has a value. What has none is left out, so that the rest can be checked;
    /// nil where the scalar cannot be read at all.
    package func interpolation(of node: ConfigNode, expecting expectation: String) -> (InterpolatedText, isComplete: Bool)? {
        guard let scalar = scalar(of: node, expecting: expectation) else { return nil }
        guard scalar.text.hasByte(UInt8(ascii: "$")) else {
            return (InterpolatedText(pieces: scalar.text.isEmpty ? [] : [.literal(scalar.text, offset: 0)]), true)
        }
        // The first value that did not fit has been reported.
        guard room >= 0, referenceRoom >= 0 else { return nil }
        var interpolator = Interpolator(
            room: room, limit: referenceRoom, lookUp: environment.variable,
            readFile: { [environment, folder] in
                environment.opened($0, from: folder).map(environment.file)
                    ?? .failure(ConfigEnvironment.FileProblem("`HOME`, which `~/` stands for, is not set"))
            })
        interpolator.interpolate(scalar.text)
        room = interpolator.room
        interpolator.credentials.forEach(keepCredential)
        if scalar.text.contains(":-") { keepDefaults(of: node) }
        guard countReferences(interpolator.count, at: node) else { return nil }
        for problem in interpolator.problems { report(problem, in: node) }
        for (name, offset, length) in interpolator.emptyCredentials { reportEmpty(name, in: node, offset: offset, length: length) }
        guard interpolator.problems.allSatisfy(\.isMissingValue) else { return nil }
        if interpolator.problems.isEmpty { noteOutsideValues(of: interpolator.result, in: node) }
        return (interpolator.result, interpolator.problems.isEmpty)
    }

    func scalar(of node: ConfigNode, expecting expectation: String) -> ConfigNode.Scalar? {
        withTarget(of: node) { node in
            guard case .scalar(let scalar) = node.content, !node.isNull else {
                let braces = quotedBraces(node)
                report(
                    .wrongType, "expected \(expectation) for `\(fieldName)`, found \(node.kind)", at: place(of: node.range),
                    help: braces?.help ?? (node.isNull ? "give it a value, or remove it" : helpWithoutBrackets(node)), fix: braces?.fix)
                return nil
            }
            return scalar
        }
    }

    /// Remembers that a part of the text of `node` is secret.
    func keepSecretPart(_ range: TextRange, of node: ConfigNode) {
        withTarget(of: node) { secretPlaces.insert(range, within: $0.range) }
    }

    private func report(_ problem: Interpolator.Problem, in node: ConfigNode) {
        withTarget(of: node) { target in reportHere(problem, in: target) }
    }

    private func reportEmpty(_ name: String, in node: ConfigNode, offset: Int, length: Int) {
        withTarget(of: node) { target in
            report(
                .emptyCredential, "environment variable `\(name)` is set, but empty",
                range: subrange(of: target, offset: offset, length: length),
                help: "give it a value; where it may be empty, write `${\(name):-}`")
        }
    }

    private func reportHere(_ problem: Interpolator.Problem, in node: ConfigNode) {
        switch problem {
        case .malformed(let message, let meant, let offset, let length):
            report(
                .malformed, message, range: subrange(of: node, offset: offset, length: length),
                help: meant.map { "write `\(written($0))`" } ?? "a variable is written `${NAME}`, and `$$` stands for a `$` itself")
        case .notSet(let name, let advice, let offset, let length):
            report(
                .variableNotSet, "environment variable `\(name)` is not set",
                range: subrange(of: node, offset: offset, length: length),
                help: parameterNames.contains(name) && length == name.unicodeScalars.count + 3
                    ? "`\(name)` is a parameter: write `{\(name)}`" : "set it, or give a default: `${\(name):-value}`",
                writtenHelp: advice.flatMap { $0.isEmpty ? nil : $0.shortened(to: 200) })
        case .noFile(let path, let reason, let offset, let length):
            report(
                .fileMissing, "cannot read the file `\(path.shortened)`: \(reason)",
                range: subrange(of: node, offset: offset, length: length),
                help: "paths are relative to the folder of `\(file)`")
        case .tooLarge(let offset, let length):
            report(
                .overLimit, "the values of variables and files come to more than \(Self.mostValueBytes >> 20) MiB",
                range: subrange(of: node, offset: offset, length: length), help: "name variables and files with shorter values")
        }
    }
}

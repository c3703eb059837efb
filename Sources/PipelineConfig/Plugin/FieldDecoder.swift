package import Pipeline

/// Reads the values of one configuration and collects every problem on the way.
///
/// Not shared between tasks: one decoder reads one file, from the top down.
public final class FieldDecoder {
    /// The most sources, pipelines, tiers and members of maps in one configuration: each is an object, where a node is a few bytes.
    private static let mostParts = 250_000

    /// The file as the user named it.
    package let file: String
    /// The code of a field that is not known.
    let unknownName: DiagnosticCode
    /// The key of the field that is being read.
    public package(set) var fieldName = ""
    /// What values of that field are allowed; nil where all are that can be read.
    var fieldBounds: FieldBounds?
    /// The name that a value has in the map that is being read; nil outside of one.
    var memberName: String?

    /// The problems that were found so far.
    package internal(set) var problems = DiagnosticList()
    /// Where what is being read stands.
    package let places = ConfigPlaces()
    /// What must not show.
    var secrets: ConfigSecrets
    /// The values of variables and files.
    var interpolation: Interpolation

    var parameterUses: [ParameterUse] = []
    /// The first variable among the credentials of the source that is being read.
    var sentCredential: SentCredential?
    /// Whether a text could not be read that may name parameters.
    var hasUnreadTexts = false
    /// Where the element of a list stands that is being read.
    var elementRange: TextRange?
    /// What the fields with roles that were read so far say.
    var fieldNotes: [FieldNote] = []
    /// How many further sources, pipelines, tiers and members of maps are read.
    private var partRoom = FieldDecoder.mostParts
    /// How many further names are compared, to tell what a mistyped one means.
    private var comparisons = NearestName.mostComparisons
    /// What is left for values that are given as JSON.
    var jsonRoom = FieldDecoder.mostJSONBytes
    /// The types of sources, for what is said of a field at the wrong place.
    var plugins: [SourcePlugin] = []
    /// How many tiers without a ttl each source has that outlives the process.
    var endlessTiers: [ExactName: Int] = [:]
    /// Whether the section of the sources is there under a mistyped name: what it declares is not known then.
    var hasUnknownSources = false
    /// The sources that were read, for what is said of a pipeline that asks none.
    var knownSources: [SourceConfig] = []
    private(set) lazy var sampleSources = SampleSources(knownSources)
    /// Whether the fields of a source are read, whose texts are sent and opened; a description may say anything.
    var isInSource = false
    /// The section that declares the pipelines, for what is said of their parameters before they are read.
    var pipelinesSection: ConfigNode?
    /// The names of the parameters of all pipelines. Looked up only where a problem asks for them.
    private(set) lazy var parameterNames = PlainWords.parameters(in: pipelinesSection)

    /// - Parameter unknownName: the code of a field that is not known.
    package init(
        file: String, folder: String, environment: ConfigEnvironment, unknownName: DiagnosticCode = .unknownField
    ) {
        self.file = file
        self.unknownName = unknownName
        secrets = ConfigSecrets(places: places)
        interpolation = Interpolation(environment: environment, folder: folder)
    }

    /// The folder that relative paths start from; empty for the working directory.
    public var folder: String { interpolation.folder }

    /// Remembers a text that must not show in any message.
    public func keepSecret(_ text: String) { secrets.keep(text) }

    /// Reports a problem of `node`.
    ///
    /// Put what you quote into backticks: secrets are masked there, while a word of letters outside of them is taken for your own.
    public func report(_ code: DiagnosticCode, _ message: String, at node: ConfigNode, help: String? = nil) {
        report(code, message, at: places.place(of: nil, in: node), help: help)
    }

    package func report(
        _ code: DiagnosticCode, _ message: String, range: TextRange, help: String? = nil, writtenHelp: String? = nil,
        related: [Diagnostic.Related] = []
    ) {
        report(code, message, at: places.place(of: range), help: help, writtenHelp: writtenHelp, related: related)
    }

    /// Reports a problem of `part` of the text of `node`, in Unicode scalars; of the whole when it is nil.
    package func report(
        _ code: DiagnosticCode, _ message: String, at part: Range<Int>?, of node: ConfigNode, severity: Diagnostic.Severity? = nil,
        help: String? = nil
    ) {
        report(code, message, at: places.place(of: part, in: node), severity: severity, help: help)
        if severity == .warning, code.severity == .error { problems.overlookLastError() }
    }

    func report(
        _ code: DiagnosticCode, _ message: String, at place: ConfigPlace, severity: Diagnostic.Severity? = nil,
        help: @autoclosure () -> String? = nil, writtenHelp: String? = nil, related: [Diagnostic.Related] = [],
        fix: @autoclosure () -> TextFix? = nil
    ) {
        problems.count(code)
        guard problems.hasRoom else { return }
        let diagnostic = Diagnostic(
            code, message, file: file, range: place.range, severity: severity, help: help(), related: related + remarks(on: place),
            fix: fix())
        problems.append(writtenHelp.map { diagnostic.withHelp($0, isWritten: true) } ?? diagnostic)
    }

    /// What else there is to know of what stands at `place`: where its value comes from, and the aliases and merges on the way.
    func remarks(on place: ConfigPlace) -> [Diagnostic.Related] {
        interpolation.remarks(at: place.range, places: places)
            + place.uses.suffix(ConfigNode.Member.mostMerges).reversed().map { Diagnostic.Related.use(at: $0) }
    }

    /// The known name that comes nearest to `name`; none any more when very many names have been compared.
    package func nearest(to name: String, among known: [String]) -> NearestName {
        guard comparisons > 0, !problems.isFull else { return .none }
        comparisons -= min(known.count, NearestName.mostNames)
        return NearestName(to: name, among: known)
    }

    /// Counts a source, a pipeline, a tier or a member of a map at `range`; false, and reported once, when the configuration has too many.
    package func countPart(at range: TextRange) -> Bool {
        partRoom -= 1
        if partRoom == -1 {
            report(
                .overLimit, "more than \(Self.mostParts) sources, pipelines, tiers and members of mappings", range: range,
                help: "no configuration needs so many")
        }
        return partRoom >= 0
    }

    /// Counts a tier without a ttl of `source`, which outlives the process; gives how many it has with this one.
    func noteEndless(_ source: ExactName) -> Int {
        endlessTiers[source, default: 0] += 1
        return endlessTiers[source] ?? 0
    }

    /// Reads a field with a role, and remembers what the rules need to know of it.
    func noting<Value: FieldValue>(
        _ role: FieldRole, of name: String, in members: [ConfigNode.Member], _ read: () throws -> Value
    ) throws -> Value {
        let mark = problems.mark
        let uses = parameterUses.count
        let result = Result { try read() }
        let value = try? result.get()
        let isKnown = problems.errors(since: mark) == 0
        fieldNotes.append(
            FieldNote(
                role: role, name: name,
                place: members.last { $0.key == name }.map { member in places.withValue(of: member) { places.place(of: $0.range) } },
                text: isKnown ? value.flatMap { role.isPlace ? $0.place : $0.location ?? $0.written } : nil,
                path: isKnown && role == .placeOfEachKey ? value as? PathTemplate : nil,
                explanation: isKnown ? value?.explanation : nil, duration: isKnown ? value?.duration : nil,
                isSound: problems.isSoundInForm(since: mark),
                parameters: Set(parameterUses.dropFirst(uses).map(\.parameter))))
        return try result.get()
    }
}

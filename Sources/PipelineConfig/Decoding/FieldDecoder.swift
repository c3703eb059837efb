package import Pipeline

/// Reads the values of one configuration and collects every problem on the way.
///
/// Not shared between tasks: one decoder reads one file, from the top down.
public final class FieldDecoder {
    /// The file as the user named it.
    package let file: String
    /// The code of a field that is not known.
    let unknownName: DiagnosticCode
    /// The field that is being read.
    var field = FieldBeingRead()

    /// The problems that were found so far.
    package internal(set) var problems = DiagnosticList()
    /// The place of what is being read.
    package let places = ConfigPlaces()
    /// What must not show.
    var secrets: ConfigSecrets
    /// The values of variables and files.
    var interpolation: Interpolation

    /// What was read of the source that is being read.
    var notes = SourceNotes()
    /// What the file declares, for what is said of a problem.
    var known = KnownNames()
    /// What is left of the bounds.
    var room = DecodingRoom()

    /// - Parameter unknownName: the code of a field that is not known.
    package init(
        file: String, folder: String, environment: ConfigEnvironment, unknownName: DiagnosticCode = .unknownField
    ) {
        self.file = file
        self.unknownName = unknownName
        secrets = ConfigSecrets(places: places)
        interpolation = Interpolation(environment: environment, folder: folder)
    }

    /// The key of the field that is being read.
    public package(set) var fieldName: String {
        get { field.name }
        set { field.name = newValue }
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

    /// Reports a problem of `part` of the text of `node`, in Unicode scalars; of all of it if that is nil.
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
        guard room.comparisons > 0, !problems.isFull else { return .none }
        room.comparisons -= min(known.count, NearestName.mostNames)
        return NearestName(to: name, among: known)
    }

    /// Counts a source, a pipeline, a tier or a member of a map at `range`; false, and reported once, when the configuration has too many.
    package func countPart(at range: TextRange) -> Bool {
        room.parts -= 1
        if room.parts == -1 {
            report(
                .overLimit, "more than \(DecodingRoom.mostParts) sources, pipelines, tiers and members of mappings", range: range,
                help: "no configuration needs so many")
        }
        return room.parts >= 0
    }

    /// Reads a field with a role, and remembers what the rules need to know of it.
    func noting<Value: FieldValue>(
        _ role: FieldRole, of name: String, in members: [ConfigNode.Member], _ read: () throws -> Value
    ) throws -> Value {
        let mark = problems.mark
        let uses = notes.parameterUses.count
        let result = Result { try read() }
        let value = try? result.get()
        let isKnown = problems.errors(since: mark) == 0
        notes.fields.append(
            FieldNote(
                role: role, name: name,
                place: members.last { $0.key == name }.map { member in places.withValue(of: member) { places.place(of: $0.range) } },
                text: isKnown ? value.flatMap { role.isPlace ? $0.place : $0.location ?? $0.written } : nil,
                path: isKnown && role == .placeOfEachKey ? value as? PathTemplate : nil,
                explanation: isKnown ? value?.explanation : nil, duration: isKnown ? value?.duration : nil,
                isSound: problems.isSoundInForm(since: mark),
                parameters: Set(notes.parameterUses.dropFirst(uses).map(\.parameter))))
        return try result.get()
    }
}

extension FieldDecoder {
    /// The fields of a tier or a feed whose source is written as a key, as `memory: { ttl: 30s }`; nil for any other. It is reported.
    ///
    /// - Parameters:
    ///   - owner: what names a source: `a tier`.
    ///   - known: its fields.
    func members(naming owner: String, _ members: [ConfigNode.Member], of node: ConfigNode, known: [String]) -> [ConfigNode.Member]? {
        guard !members.contains(where: { $0.key == "source" }), let first = members.first else { return nil }
        guard !known.contains(first.key), let inner = Self.fieldsBelow(first, beside: members.dropFirst(), known: known)
        else { return nil }
        let name = ConfigNode(.scalar(.init(text: first.key, isPlain: true)), at: first.keyRange)
        let meant = [ConfigNode.Member(key: "source", keyRange: first.keyRange, value: name, merges: first.merges)] + inner
        let help =
            inner.isEmpty
            ? "remove the `:` after it"
            : ConfigNode.onOneLine(meant).map { "write `\($0)`" } ?? "begin with `source: \(first.key.shortened)`"
        report(
            .unknownField, "`\(first.key.shortened)` is written as a field: \(owner) names its source in the field `source`",
            at: places.place(of: node.range), help: help)
        return meant
    }

    /// The fields that are written below `member`, or beside it when there is nothing below.
    private static func fieldsBelow(
        _ member: ConfigNode.Member, beside others: ArraySlice<ConfigNode.Member>, known: [String]
    ) -> [ConfigNode.Member]? {
        if member.value.isNull { return others.allSatisfy { known.contains($0.key) } ? Array(others) : nil }
        guard others.isEmpty, case .mapping(let inner) = member.value.content else { return nil }
        return inner
    }
}

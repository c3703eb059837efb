internal import Pipeline

/// The values of variables and files in the texts of one configuration: looked up within one budget, and remembered by their places.
struct Interpolation {
    /// The most bytes that the variables and files of one configuration may come to.
    static let mostValueBytes = 16 << 20
    /// The most variables and parameters in the texts of one configuration: each has its place and may be a problem.
    static let mostReferences = 100_000
    /// Of one text, so many origins are told.
    private static let mostOrigins = ConfigNode.Member.mostMerges

    /// The variables and files of a scalar.
    private struct Origins {
        let names: [String]
        /// The one that is all there is of the scalar.
        let whole: String?
        let node: ConfigNode
    }

    let environment: ConfigEnvironment
    /// The folder that relative paths start from; empty for the working directory.
    let folder: String
    private var room = Interpolation.mostValueBytes
    /// How many further variables and parameters are read; negative when there were too many.
    private(set) var referenceRoom = Interpolation.mostReferences
    /// The scalars with variables and files in them, by their places.
    private var origins: [TextRange: Origins] = [:]

    init(environment: ConfigEnvironment, folder: String) {
        self.environment = environment
        self.folder = folder
    }

    /// Reads `text`, its variables looked up; nil when an earlier one had more than fits.
    mutating func read(_ text: String) -> Interpolator? {
        guard room >= 0, referenceRoom >= 0 else { return nil }
        var interpolator = Interpolator(
            room: room, limit: referenceRoom, lookUp: environment.variable,
            readFile: { [environment, folder] in
                environment.opened($0, from: folder).map(environment.file)
                    ?? .failure(ConfigEnvironment.FileProblem("`HOME`, which `~/` stands for, is not set"))
            })
        interpolator.interpolate(text)
        room = interpolator.room
        return interpolator
    }

    /// Counts `count` variables and parameters.
    mutating func takeRoom(forReferences count: Int) {
        referenceRoom -= count
    }

    /// Remembers which values of `text` come from outside, where it stands in `node`.
    mutating func noteOrigins(of text: InterpolatedText, in node: ConfigNode) {
        var names: [String] = []
        for name in text.variables where names.count < Self.mostOrigins && !names.contains(name) { names.append(name) }
        guard !names.isEmpty else { return }
        origins[node.range] = Origins(names: names, whole: text.pieces.count == 1 ? names.first : nil, node: node)
    }

    /// Whether the text at `range` has values of variables or files in it.
    func isFromOutside(_ range: TextRange) -> Bool { origins[range] != nil }

    /// The variable or file that is all of the text at `range`.
    func whole(at range: TextRange) -> String? { origins[range]?.whole }

    /// Where the values of the text at `range` come from. Never the values: they may be secret, and the file does not say so.
    func remarks(at range: TextRange, places: ConfigPlaces) -> [Diagnostic.Related] {
        guard let origins = origins[range] else { return [] }
        return origins.names.map { name in
            let reference = origins.node.scalarText.flatMap { VariableReference.find(name, in: $0) }
            let range = reference.map { places.range(of: $0.range, in: origins.node) } ?? origins.node.range
            return Diagnostic.Related(words(forOriginOf: name, hasDefault: reference?.defaultRange != nil), at: range)
        }
    }

    private func words(forOriginOf name: String, hasDefault: Bool) -> String {
        if name.hasPrefix("file:") { return "the value comes from the file `\(name.dropFirst(5).description.shortened)`" }
        switch environment.variable(name) {
        case nil: return "the environment variable `\(name)` is not set, so that its default counts"
        case "": return "the environment variable `\(name)` is empty" + (hasDefault ? ", so that its default counts" : "")
        default: return "the value comes from the environment variable `\(name)`"
        }
    }
}

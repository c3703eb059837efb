internal import Pipeline

/// What a group of fields belongs to, for messages: ``source `disk` `` and where it is named.
struct FieldOwner {
    private let noun: String
    private let name: String?
    let range: TextRange
    /// What it is, for a field that belongs elsewhere; nil for what is never taken for another.
    var place: FieldDecoder.FieldPlace?
    /// The fields that are most likely meant by unknown ones.
    var misspelt: Set<String> = []
    /// What to do where a field is missing, by its name; its example where nothing is said here.
    var helps: [String: String] = [:]

    /// Something without a name, as `a tier`.
    init(description: String, range: TextRange, place: FieldDecoder.FieldPlace? = nil) {
        noun = description
        name = nil
        self.range = range
        self.place = place
    }

    /// The `noun` called `name`.
    init(_ noun: String, named name: String, range: TextRange, place: FieldDecoder.FieldPlace? = nil) {
        self.noun = noun
        self.name = name
        self.range = range
        self.place = place
    }

    /// What it is called in messages. Made when one is needed: most owners have no problems.
    var description: String { name.map { "\(noun) `\($0.shortened)`" } ?? noun }
}

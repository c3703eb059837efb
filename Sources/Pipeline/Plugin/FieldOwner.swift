/// What a group of fields belongs to, for messages: ``source `disk` `` and where it is named.
struct FieldOwner {
    let description: String
    let range: TextRange
    /// The fields that are most likely meant by unknown ones.
    var misspelt: Set<String> = []
}

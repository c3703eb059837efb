internal import Pipeline

/// The field that is being read.
struct FieldBeingRead {
    /// Its key.
    var name = ""
    /// What values are allowed; nil where all are that can be read.
    var bounds: FieldBounds?
    /// The name that a value has in the map that is being read; nil outside of one.
    var memberName: String?
    /// Where the element of a list stands that is being read.
    var elementRange: TextRange?
    /// Whether it is a field of a source, whose texts are sent and opened; a description may say anything.
    var isOfSource = false
}

/// How much more of one configuration is read.
struct DecodingRoom {
    /// The most sources, pipelines, tiers and members of maps: each is an object, where a node is a few bytes.
    static let mostParts = 250_000

    /// How many further sources, pipelines, tiers and members of maps are read.
    var parts = DecodingRoom.mostParts
    /// How many further names are compared, to tell what a mistyped one means.
    var comparisons = NearestName.mostComparisons
    /// What is left for values that are given as JSON.
    var jsonBytes = FieldDecoder.mostJSONBytes
}

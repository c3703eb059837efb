/// A scalar with its variables (`${NAME}`) looked up, kept apart from what the file itself says.
///
/// A value from outside is data: it is never searched for parameters, and each kind of template encodes it for its place.
package struct InterpolatedText {
    package enum Piece: Equatable {
        /// Text of the file; `offset` counts the Unicode scalars before it.
        case literal(String, offset: Int)
        /// The value of a variable or a file.
        case value(String, name: String)
    }

    package var pieces: [Piece]

    package init(pieces: [Piece] = []) {
        self.pieces = pieces
    }

    /// The whole text, values in their places.
    var text: String {
        pieces.map {
            switch $0 {
            case .literal(let text, _): text
            case .value(let text, _): text
            }
        }.joined()
    }

    /// The names of the variables in it.
    var variables: [String] {
        pieces.compactMap { if case .value(_, let name) = $0 { name } else { nil } }
    }
}

import Pipeline
import PipelineConfig

/// A text with 1️⃣ 2️⃣ in it where places are meant: the text without them, and the places.
struct MarkedText {
    let text: String
    private let positions: [Character: TextPosition]

    init(_ marked: String) {
        var text = ""
        var positions: [Character: TextPosition] = [:]
        var position = TextPosition(line: 1, column: 1)
        for character in marked {
            if Self.marks.contains(character) {
                precondition(positions[character] == nil, "the mark \(character) stands twice")
                positions[character] = position
                continue
            }
            text.append(character)
            if character.isNewline {
                position = TextPosition(line: position.line + 1, column: 1)
            } else {
                position.column += character.unicodeScalars.count
            }
        }
        self.text = text
        self.positions = positions
    }

    private static let marks: [Character] = ["1️⃣", "2️⃣", "3️⃣", "4️⃣", "5️⃣", "6️⃣"]

    subscript(mark: Character) -> TextPosition {
        guard let position = positions[mark] else { preconditionFailure("no mark \(mark) in the text") }
        return position
    }

    /// The stretch between two marks.
    subscript(start: Character, end: Character) -> TextRange { TextRange(self[start], self[end]) }
}

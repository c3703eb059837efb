/// A rectangle in a drawing.
struct DrawnRect: Hashable {
    var x: Double
    var y: Double
    var width: Double
    var height: Double

    var right: Double { x + width }
    var bottom: Double { y + height }
    var middle: Double { y + height / 2 }

    func overlaps(_ other: DrawnRect) -> Bool {
        x < other.right && other.x < right && y < other.bottom && other.y < bottom
    }

    func contains(_ other: DrawnRect) -> Bool {
        x <= other.x && y <= other.y && other.right <= right && other.bottom <= bottom
    }
}

import Pipeline
import PipelineLive
internal import PipelineJSON

/// An id in a value: a string, or a number as it is written. `42` and `"42"` are one, `42.0` is another.
enum Reference {
    case null
    case id(String)
    /// A bool, an object, an array, an empty text, one that is too long, or no text.
    case invalid(String)

    /// The most bytes of an id: it is part of keys, of requests, and of what is told of them.
    private static let most = 65_536

    init(_ bytes: [UInt8], at range: Range<Int>) {
        switch bytes[range].first {
        case UInt8(ascii: "n"): self = .null
        case UInt8(ascii: "{"): self = .invalid("an object is no id")
        case UInt8(ascii: "["): self = .invalid("a list is no id")
        case UInt8(ascii: "t"), UInt8(ascii: "f"): self = .invalid("a bool is no id")
        default:
            guard let text = JSONScalar.reference(bytes, at: range) else {
                self = .invalid("half a surrogate pair is no text, and no id")
                return
            }
            let size = text.utf8.count
            self =
                size == 0
                ? .invalid("an empty text is no id")
                : size > Self.most ? .invalid("an id of \(size) bytes, and no more than \(Self.most) are allowed") : .id(text)
        }
    }

    /// Where the bytes of an id stand that is written as it is, as a number or a text without escapes; it may be too long, or empty. Nil for
    /// any other value.
    static func bytes(in payload: [UInt8], at range: Range<Int>) -> Range<Int>? {
        switch payload[range.lowerBound] {
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return range
        case UInt8(ascii: "\""):
            let inner = (range.lowerBound + 1)..<(range.upperBound - 1)
            return payload[inner].contains(UInt8(ascii: "\\")) ? nil : inner
        default: return nil
        }
    }

    /// The id at `place` of the value at `range`, which must be there.
    ///
    /// - Parameters:
    ///   - name: what messages call the value.
    ///   - kind: what it is, for messages about all of it.
    static func text(
        at place: JSONPointer, in bytes: [UInt8], _ range: Range<Int>, of name: String, _ kind: String = "value"
    ) throws(SourceError) -> String {
        let reference: Reference?
        do throws(JSONScanner.Problem) {
            reference = try JSONScanner.place(of: place, in: bytes, at: range).map { Reference(bytes, at: $0.range) }
        } catch {
            throw SourceError("\(name): \(error)", kind: .invalid)
        }
        let isWhole = place.tokens.isEmpty
        switch reference {
        case .id(let text): return text
        case nil: throw SourceError("\(name) has nothing at `\(place)`", kind: .invalid)
        case .null:
            throw SourceError(isWhole ? "\(name), the whole \(kind), is null" : "\(name) has null at `\(place)`", kind: .invalid)
        case .invalid(let reason):
            throw SourceError((isWhole ? "\(name), the whole \(kind)" : "\(name) at `\(place)`") + ": \(reason)", kind: .invalid)
        }
    }
}

/// Labels as they stand between braces: `pipeline="friends",source="disk"`. Equal when they are byte for byte.
struct PrometheusLabels: Hashable, Comparable, CustomStringConvertible {
    private let bytes: [UInt8]

    init(_ labels: [(String, String)]) {
        bytes = Array(labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",").utf8)
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// With one label more, whose value needs no escaping.
    func with(_ name: String, _ value: String) -> PrometheusLabels {
        PrometheusLabels(bytes: bytes + (bytes.isEmpty ? "" : ",").utf8 + "\(name)=\"\(value)\"".utf8)
    }

    /// With braces; nothing where there are none.
    var description: String { bytes.isEmpty ? "" : "{\(String(decoding: bytes, as: UTF8.self))}" }

    static func < (left: PrometheusLabels, right: PrometheusLabels) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }

    private static func escaped(_ value: String) -> String {
        var text = String.UnicodeScalarView()
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": text.append(contentsOf: "\\\\".unicodeScalars)
            case "\"": text.append(contentsOf: "\\\"".unicodeScalars)
            case "\n": text.append(contentsOf: "\\n".unicodeScalars)
            default: text.append(scalar)
            }
        }
        return String(text)
    }
}

import NIOHTTP1
import Pipeline

@testable import PipelineServer

/// An answer as a client of the suite sees it: what `serve` sent, with the origin's own answer unwrapped.
struct SuiteAnswer: Sendable {
    let status: Int
    private let fields: [WrappedAnswer.Field]
    let body: String

    /// What `serve` itself says of the value; of these the wrapped fields do not count.
    private static let own: Set = ["age", "cache-control", "date", "etag", "last-modified"]

    /// - Parameters:
    ///   - bytes: the answer as it goes over the wire.
    ///   - bare: the origin's last answer without a body.
    init(_ bytes: [UInt8], bare: WrappedAnswer?) throws {
        let end = bytes.indices.first { bytes[$0...].starts(with: "\r\n\r\n".utf8) } ?? bytes.endIndex
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n").map { String($0) }
        let served = lines.dropFirst().compactMap { line -> WrappedAnswer.Field? in
            line.firstIndex(of: ":").map { colon in
                .init(name: String(line[..<colon]), value: String(line[line.index(after: colon)...].drop { $0 == " " }))
            }
        }
        let content = bytes[end...].dropFirst(4)
        let code = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        let wrapped = code != 200 ? nil : content.isEmpty ? bare : try? WrappedAnswer(Array(content))
        status = wrapped?.status ?? code
        body = wrapped?.body ?? String(decoding: content, as: UTF8.self)
        guard let wrapped else {
            fields = served
            return
        }
        let ownOnes = served.filter { Self.own.contains($0.name.lowercased()) }
        let kept = wrapped.fields.filter { !Self.own.contains($0.name.lowercased()) && $0.name.lowercased() != "content-length" }
        fields = kept + [.init(name: "Content-Length", value: "\(wrapped.body.utf8.count)")] + ownOnes
    }

    /// The value of the field called `name`; several of them as one list.
    subscript(name: String) -> String? {
        let values = fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// Which of the origin's answers it is, counted from 1.
    var number: Int? { self["Server-Request-Count"].flatMap { Int($0) } }
}

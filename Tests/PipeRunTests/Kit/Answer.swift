import Foundation

/// An answer of an HTTP server.
struct Answer: Sendable {
    let status: Int
    let headers: [String: String]
    let body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }

    subscript(name: String) -> String? { headers[name.lowercased()] }

    init(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let blank = bytes.firstRange(of: Array("\r\n\r\n".utf8)),
            let status = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { throw TooLong(description: "no answer: \(text)") }
        self.status = status
        var headers: [String: String] = [:]
        for line in String(decoding: bytes[..<blank.lowerBound], as: UTF8.self).components(separatedBy: "\r\n").dropFirst() {
            let sides = line.split(separator: ":", maxSplits: 1)
            headers[sides[0].lowercased()] = sides.count > 1 ? sides[1].trimmingCharacters(in: .whitespaces) : ""
        }
        self.headers = headers
        body = Array(bytes[blank.upperBound...])
    }
}

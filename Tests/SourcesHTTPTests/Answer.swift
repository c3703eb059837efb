/// Answers as bytes.
enum Answer {
    /// A whole answer, with its Content-Length.
    static func text(_ body: String, status: Int = 200, headers: [String] = []) -> [ScriptedServer.Step] {
        bytes(Array(body.utf8), status: status, headers: headers)
    }

    /// A whole answer, with its Content-Length.
    static func bytes(_ body: [UInt8], status: Int = 200, headers: [String] = []) -> [ScriptedServer.Step] {
        [.text(head(status: status, headers: headers + ["Content-Length: \(body.count)"])), .bytes(body)]
    }

    /// An answer without a body that sends the client to `location`.
    static func redirect(_ status: Int, to location: String) -> [ScriptedServer.Step] {
        text("", status: status, headers: ["Location: \(location)"])
    }

    /// The answer to a condition that holds.
    static func notModified(_ headers: [String] = []) -> [ScriptedServer.Step] {
        [.text(head(status: 304, headers: headers))]
    }

    /// Status line, header fields and the empty line.
    static func head(status: Int = 200, headers: [String]) -> String {
        (["HTTP/1.1 \(status) X"] + headers + ["", ""]).joined(separator: "\r\n")
    }

    /// The bytes written in hexadecimal digits.
    static func hexadecimal(_ digits: String) -> [UInt8] {
        var rest = digits[...]
        var bytes: [UInt8] = []
        while !rest.isEmpty {
            bytes.append(UInt8(rest.prefix(2), radix: 16) ?? 0)
            rest = rest.dropFirst(2)
        }
        return bytes
    }

    /// `{"friends":[1,2,3]}`
    static let gzip = hexadecimal("1f8b0800000000000203ab564a2bca4ccd4b2956b28a36d431d2318ead0500b2c30fe813000000")
    /// `{"friends":[1,2,3]}`
    static let deflate = hexadecimal("78daab564a2bca4ccd4b2956b28a36d431d2318ead050040710608")
    /// 200 KiB of zeros in 233 bytes.
    static let bomb = hexadecimal(
        "1f8b0800000000000203edc1010d000000c2a0f74f6d0f0714" + String(repeating: "00", count: 198) + "4f063f4f37d500200300")
}

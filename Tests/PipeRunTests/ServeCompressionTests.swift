import Foundation
import Testing

@testable import PipeRunKit
@testable import PipelineServer

extension ComputingTests {
    @Suite struct ServeCompressionTests {
        private static let config = """
            sources:
              flat: { type: file, path: "flat/{user}", read_only: true }
            pipelines:
              friends: { parameters: [user], tiers: [flat] }
              bytes: { parameters: [user], format: bytes, tiers: [flat] }
            """

        private static func payload(_ count: Int) -> String { "[" + (0..<count).map { "\($0)" }.joined(separator: ",") + "]" }

        /// The body, put together from its chunks where it came so.
        private func body(_ answer: Answer) throws -> [UInt8] {
            guard answer["Transfer-Encoding"] == "chunked" else { return answer.body }
            var (rest, body): (ArraySlice<UInt8>, [UInt8]) = (answer.body[...], [])
            while let end = rest.firstRange(of: Array("\r\n".utf8)) {
                let size = try #require(Int(String(decoding: rest[..<end.lowerBound], as: UTF8.self), radix: 16))
                if size == 0 {
                    #expect(Array(rest) == Array("0\r\n\r\n".utf8))
                    return body
                }
                body += rest[end.upperBound...].prefix(size)
                rest = rest[end.upperBound...].dropFirst(size + 2)
            }
            throw TooLong(description: "no last chunk")
        }

        @Test(arguments: [500, 5_000, 300_000])
        func `text above a kilobyte goes compressed to who accepts it, with a weak tag`(count: Int) async throws {
            let folder = try WorkFolder(Self.config)
            let payload = Self.payload(count)
            try folder.write("flat/1", payload)

            try await folder.serving { server in
                let plain = try await server.get("/friends?user=1")
                #expect(plain.text == payload && plain["Vary"] == "Accept-Encoding" && plain["Content-Encoding"] == nil)
                for accepted in ["gzip", "br, GZIP;q=0.5", "*", "x-gzip"] {
                    let answer = try await server.get("/friends?user=1", headers: ["Accept-Encoding": accepted])
                    let body = try body(answer)
                    #expect(answer["Content-Encoding"] == "gzip" && answer["Vary"] == "Accept-Encoding", "\(accepted)")
                    #expect(body.count < payload.utf8.count / 2)
                    #expect(Gunzip.bytes(of: body) == Array(payload.utf8))
                    let tag = try #require(answer["ETag"])
                    #expect(tag.hasPrefix("W/"))
                    for fields in [["Accept-Encoding": "gzip", "If-None-Match": tag], ["If-None-Match": tag]] {
                        let unchanged = try await server.get("/friends?user=1", headers: fields)
                        #expect(unchanged.status == 304 && unchanged["Vary"] == "Accept-Encoding" && unchanged["Content-Length"] == nil)
                    }
                }
            }
        }

        @Test func `nothing is compressed for who does not accept it, or where it saves nothing`() async throws {
            let folder = try WorkFolder(Self.config)
            try folder.write("flat/small", "[1]")
            try folder.write("flat/large", Self.payload(5_000))
            try await folder.serving { server in
                let cases = [
                    ("/friends?user=small", "gzip", false), ("/friends?user=large", "gzip;q=0", true), ("/friends?user=large", "br", true),
                    ("/friends?user=large", "*, gzip;q=0.0", true), ("/bytes?user=large", "gzip", false),
                ]
                for (target, accepted, varies) in cases {
                    let answer = try await server.get(target, headers: ["Accept-Encoding": accepted])
                    #expect(answer["Content-Encoding"] == nil && (answer["Vary"] != nil) == varies, "\(target) \(accepted)")
                }
                let old = try await Wire.exchange(
                    Wire.head("/friends?user=large", "Accept-Encoding: gzip\r\n", version: "1.0"), with: server)
                #expect(old["Content-Encoding"] == nil && old.text == Self.payload(5_000))
            }
        }

        @Test(arguments: [1_000, 100_000])
        func `what does not shrink goes as it is`(count: Int) {
            var seed = UInt64(1)
            let noise = (0..<count).map { _ in
                seed = seed &* 6_364_136_223_846_793_005 &+ 1
                return UInt8(truncatingIfNeeded: seed >> 40)
            }

            #expect(!GzipStream.shrinks(noise))
            #expect(GzipStream.shrinks(Array(Self.payload(count).utf8)))
        }

        @Test func `HEAD says what GET would`() async throws {
            let folder = try WorkFolder(Self.config)
            try folder.write("flat/1", Self.payload(1_000_000))
            try await folder.serving { server in
                let head = try await server.get("/friends?user=1", method: "HEAD", headers: ["Accept-Encoding": "gzip"])
                #expect(head.status == 200 && head.body == [] && head["Content-Encoding"] == "gzip")
            }
        }

        @Test(arguments: [0, 1, 1_000, 100_000])
        func `pieces come together to one stream`(size: Int) throws {
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
            let stream = try #require(GzipStream())
            var compressed: [UInt8] = []
            for start in stride(from: 0, to: size, by: 300) {
                compressed += stream.compress(bytes[start..<min(start + 300, size)], isLast: false)
            }
            compressed += stream.compress([], isLast: true)

            #expect(Gunzip.bytes(of: compressed) == bytes)
        }
    }
}

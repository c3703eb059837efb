package import NIOHTTP1
package import Pipeline

extension LiveEnding {
    /// The ending that an answer means whose `status` begins no stream.
    ///
    /// 408, 425, 429 and 5xx pass by themselves; the server says when to ask again (`Retry-After`). Anything else stays as it is until
    /// somebody changes the request or the server.
    package init(status: Int, headers: HTTPHeaders, from place: String, wall: Timestamp) {
        let reason = "status \(status) from \(place)"
        guard [408, 425, 429].contains(status) || 500...599 ~= status else {
            self.init(.refused, reason)
            return
        }
        let pause = headers.first(name: "Retry-After").flatMap { RetryAfter.pause($0, wall: wall) }
        self.init(.lost, reason, pause: pause.map { $0...$0 })
    }
}

public import Pipeline

extension SQLiteQuery {
    /// One query for several rows, where `batch` says how.
    public var batching: Batching? {
        guard let batch, let parameter = batch.parameter else { return nil }
        return Batching(of: parameter, most: batch.max) { [self] keys, _ in
            let begin = clock.now
            let ids = keys.map { $0[parameter] ?? "" }
            // SQLite's texts end there: it would be the query for another value.
            let bound = ids.filter { !$0.utf8.contains(0) }
            guard let first = keys.first(where: { $0[parameter] == bound.first }), let last = bound.last else {
                return BatchAnswer(keys.map { _ in .failure(Self.brokenID(parameter)) })
            }
            // Few statements are prepared: what is left over of one is filled with an id that is there already.
            let count = min(batch.max, ids.count.roundedUpToPowerOfTwo)
            var values = try batch.query.arguments(for: first)
            for index in 1..<count { values[SQLQuery.name(ofValue: index)] = index < bound.count ? bound[index] : last }
            let result = try await result(of: batch.query(count: count), with: values, .many)
            let template = Entry([], created: begin, contentType: "application/json")
            let answer = try BatchAnswer(result ?? Array("[]".utf8), id: batch.id, of: parameter, for: keys, as: template)
            return BatchAnswer(
                zip(ids, answer.results).map { $0.utf8.contains(0) ? .failure(Self.brokenID(parameter)) : $1 }, ignored: answer.ignored)
        }
    }

    private static func brokenID(_ parameter: String) -> SourceError {
        SourceError("the value of `\(parameter)` has a NUL character in it")
    }
}

extension Int {
    /// The least power of two that is not less.
    fileprivate var roundedUpToPowerOfTwo: Int { self <= 1 ? 1 : 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount) }
}

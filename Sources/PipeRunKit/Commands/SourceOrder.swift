/// The sources that `--order a,b,c` names.
enum SourceOrder {
    /// The names, without the spaces around them. Exits with 64 where one is empty.
    static func names(in order: String) throws -> [String] {
        let names = order.split(separator: ",", omittingEmptySubsequences: false).map { $0.drop { $0 == " " }.trimmingSpacesAtEnd }
        guard names.contains(where: { !$0.isEmpty }) else {
            throw Usage.failure("the order names no source", help: "`--order a,b` asks `a` and then `b`")
        }
        guard !names.contains("") else {
            throw Usage.failure("the order `\(order)` has an empty name", help: "put one comma between two names: `--order a,b`")
        }
        return names
    }
}

extension Substring {
    fileprivate var trimmingSpacesAtEnd: String {
        String(reversed().drop { $0 == " " }.reversed())
    }
}

/// A list of names with commas, of which the last is being typed.
struct NameList {
    private let before: [String]
    private let last: String

    init(typed text: String) {
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        before = Array(names.dropLast())
        last = names.last ?? ""
    }

    /// The whole list with each of `names` in the last place that does not stand before it; when that place holds a whole name, also
    /// with a further one.
    func completed(with names: [String]) -> [String] {
        let offered = names.filter { !before.contains($0) }
        let further = offered.contains(last) ? offered.filter { $0 != last }.map { before + [last, $0] } : []
        return (offered.map { before + [$0] } + further).map { $0.joined(separator: ",") }
    }
}

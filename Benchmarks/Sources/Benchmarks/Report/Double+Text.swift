import Foundation

extension Double {
    /// With a fixed number of decimals.
    func text(_ decimals: Int) -> String {
        String(format: "%.\(decimals)f", self)
    }

    /// A number of nanoseconds as the time of one of `count`, in a unit that keeps it short.
    func time(each count: Int = 1) -> String {
        let nanoseconds = self / Double(count)
        if nanoseconds < 1e3 { return "\(nanoseconds.text(nanoseconds < 100 ? 1 : 0)) ns" }
        if nanoseconds < 1e6 { return "\((nanoseconds / 1e3).text(2)) µs" }
        return "\((nanoseconds / 1e6).text(2)) ms"
    }

    /// A share in per cent.
    var percent: String { "\((self * 100).text(1)) %" }
}

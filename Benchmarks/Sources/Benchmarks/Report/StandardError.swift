import Glibc

/// Where progress goes, so that standard output holds the table alone.
enum StandardError {
    static func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(2, bytes, bytes.count)
    }
}

/// The text of a path, by which two spellings of one file are the same.
package enum LexicalPath {
    /// `./a//b` is `a/b`, and `a/../b` is `b`: what links lead to is not known without looking. A folder whose name has a value of a
    /// parameter in it, which stands between NULs, may be several, and stays.
    package static func normalized(_ path: String) -> String {
        let isAbsolute = path.utf8.first == UInt8(ascii: "/")
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part != ".." {
                parts.append(part)
            } else if let last = parts.last {
                if last == ".." || last.utf8.contains(0) { parts.append(part) } else { parts.removeLast() }
            } else if !isAbsolute {
                parts.append(part)
            }
        }
        return (isAbsolute ? "/" : "") + parts.joined(separator: "/")
    }
}

extension String {
    /// The text as one word of a shell.
    package var asShellWord: String {
        let isPlain =
            !isEmpty
            && utf8.allSatisfy { $0 > 0x7F || "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,@%+".utf8.contains($0) }
        return isPlain ? self : "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}

extension ContiguousArray {
    /// Makes room for one more element by an eighth, where appending would double: the bound on bytes an entry counts on it.
    mutating func reserveSlot() {
        if count == capacity { reserveCapacity(count + count / 8 + 8) }
    }
}

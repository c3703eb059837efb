extension ContiguousArray {
    /// Makes room for one more element by a sixteenth, where appending would double: the bound on bytes an entry counts on it.
    mutating func reserveSlot() {
        if count == capacity { reserveCapacity(count + count / 16 + 8) }
    }
}

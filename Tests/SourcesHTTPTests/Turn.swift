/// Lets others run, in a loop that waits for what a test does not see otherwise. Throws when the time limit of the test has ended it: what it
/// waits for will not come.
func turn() async throws {
    try Task.checkCancellation()
    await Task.yield()
}

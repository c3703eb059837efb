/// The time limit of a wait is over.
package struct PastLimit: Error {
    /// An error of a wait whose time is over.
    package init() {}
}

/// The time limit of a wait is over.
package struct PastLimit: Error {}

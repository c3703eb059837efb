/// The time that somebody had to wait is over.
package struct PastLimit: Error {}

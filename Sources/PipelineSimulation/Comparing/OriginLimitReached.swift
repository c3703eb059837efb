/// The origins have been asked as often as they may be.
public struct OriginLimitReached: Error {
    init() {}
}

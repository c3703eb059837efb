/// Nobody is to wait any more.
struct CalledOff: Error {}

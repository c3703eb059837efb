// The scenes, and the words of outcomes, for every file of this target.
@_exported import TestSupport

// Folders, and entries that tell their version, for every file of this target.
@_exported import TestSupport

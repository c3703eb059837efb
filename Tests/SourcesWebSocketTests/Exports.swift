// What tests ask of sources, for every file of this target.
@_exported import TestSupport

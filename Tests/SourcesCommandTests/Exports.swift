// What tests ask of origins, for every file of this target.
@_exported import TestSupport

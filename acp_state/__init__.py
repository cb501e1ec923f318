"""Fold Agent Client Protocol traffic into one immutable session state."""

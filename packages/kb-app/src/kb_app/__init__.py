"""Composition root and use cases of kb."""

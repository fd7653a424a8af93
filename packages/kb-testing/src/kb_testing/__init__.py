"""Fakes and conformance suites for kb."""

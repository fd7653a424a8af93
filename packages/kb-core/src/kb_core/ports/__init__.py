"""Ports: what the application needs from the outside, as Protocols.

An adapter mirrors the name of its port. Every port has one conformance suite in kb-testing, which
the real adapter and the fake both pass.
"""

"""The `kb` command.

This package imports typer at start and everything else inside commands, so that `kb --help` costs
what typer costs.
"""

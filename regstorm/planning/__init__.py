"""Dimensioning: the paper's four planning models as pure functions of a topology."""

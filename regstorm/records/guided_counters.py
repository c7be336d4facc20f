"""The names of what only a door that pre-authenticates counts: a storm without one has none of these columns."""

PRE_AUTHENTICATED = "amf.pre_authenticated"
"""First messages that were let in for the price of an authentication only."""

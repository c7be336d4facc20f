"""The procedures of a UE, one file each: a generator is one attempt and reads like its call flow (steps.py)."""

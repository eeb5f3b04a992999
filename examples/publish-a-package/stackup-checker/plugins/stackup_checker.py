"""Says which traces leave the tolerance. A stand-in for a plugin of yours."""


def drift(target_ohm: float, got_ohm: float) -> float:
    return abs(got_ohm - target_ohm) / target_ohm

"""Computes how far an impedance is off. A stand-in for your own plugin."""


def drift(target_ohm: float, got_ohm: float) -> float:
    return abs(got_ohm - target_ohm) / target_ohm

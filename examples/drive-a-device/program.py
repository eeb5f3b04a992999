"""Turns the simulated motor of your workspace "main" and stops it, as program.ts does.

    PYTHONPATH=clients/python python3 examples/drive-a-device/program.py [BASE_URL]

It needs `backplane simulate motor`, and BACKPLANE_TOKEN: an API key with the scopes devices:read and devices:control.
"""

import os
import sys
import tempfile
import threading

from backplane import Backplane, BackplaneError

backplane = Backplane(sys.argv[1] if len(sys.argv) > 1 else "http://localhost:8790")
backplane.token = os.environ["BACKPLANE_TOKEN"]
devices = backplane.workspace(os.environ.get("WORKSPACE_OWNER", "owner"), "main").devices

fields = devices.wait("sim-motor", "motor")["fields"]
print(f"The motor stands: {fields['velocity_rad_s']} rad/s, {fields['motor_c']} °C")


def refused(code: str, **params: float) -> BackplaneError:
    try:
        devices.command("sim-motor", "motor", "velocity", params)
    except BackplaneError as error:
        assert error.code == code, error
        return error
    raise AssertionError(f"not refused with {code}")


recording = devices.recordings.start("A motor turns")
devices.take("sim-motor")
devices.arm("sim-motor")
error = refused("out-of-limits", velocity_rad_s=500)
assert error.faults[0]["pointer"] == "/params/velocity_rad_s", error.faults
assert "-200" in error.faults[0]["message"] and "200" in error.faults[0]["message"], error.faults
print(f"Refused: {error}")

is_there = threading.Event()


def turn() -> None:
    # What moves stops 300 ms after the last command.
    while not is_there.wait(0.1):
        devices.command("sim-motor", "motor", "velocity", {"velocity_rad_s": 20})


turning = threading.Thread(target=turn)
turning.start()
try:
    fast = devices.wait("sim-motor", "motor", "velocity_rad_s", above=18, timeout=30)
finally:
    is_there.set()
    turning.join()
assert fast["reached"], fast
print(f"It turns: {fast['fields']['velocity_rad_s']} rad/s")

for event in devices.events("sim-motor"):
    if event["type"] == "values":
        print(f"As it happens: {event['fields']['position_rad'][-1]} rad")
        break

assert list(devices.stop()) == ["sim-motor"]
assert devices.wait("sim-motor", "motor", "velocity_rad_s", below=5, timeout=30)["reached"]
refused("stopped", velocity_rad_s=1)
devices.recordings.stop(recording["id"])
with tempfile.TemporaryDirectory() as folder:
    file = os.path.join(folder, "motor.csv")
    devices.recordings.save(recording["id"], file, format="csv", device="sim-motor", capability="motor")
    with open(file, encoding="utf-8") as recorded:
        header, *rows = recorded.read().splitlines()
assert "velocity_rad_s" in header, header
print(f"Recorded {len(rows)} samples.")
print("Everything is stopped.")
devices.take("sim-motor")
devices.clear_stop()
devices.leave("sim-motor")

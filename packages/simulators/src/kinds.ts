import { batteryCharger } from "./kinds/battery-charger.ts";
import { chipData } from "./kinds/chip-data.ts";
import { chipStatistics } from "./kinds/chip-statistics.ts";
import { gpio } from "./kinds/gpio.ts";
import { imu } from "./kinds/imu.ts";
import { led } from "./kinds/led.ts";
import { lights } from "./kinds/lights.ts";
import { lineFollower } from "./kinds/line-follower.ts";
import { motor } from "./kinds/motor.ts";
import { oven } from "./kinds/oven.ts";
import { power } from "./kinds/power.ts";
import { pressure } from "./kinds/pressure.ts";
import { robotLog } from "./kinds/robot-log.ts";
import { servo } from "./kinds/servo.ts";
import { speedController } from "./kinds/speed-controller.ts";
import { temperatures } from "./kinds/temperatures.ts";
import { timeOfFlight } from "./kinds/time-of-flight.ts";
import { ultraWideband } from "./kinds/ultra-wideband.ts";
import { ultrasonic } from "./kinds/ultrasonic.ts";
import { vibration } from "./kinds/vibration.ts";
import type { SimulatedKind } from "./simulator.ts";

/** In the order in which `backplane simulate --help` lists them. */
export const SIMULATED_KINDS: readonly SimulatedKind[] = [
  temperatures,
  pressure,
  vibration,
  robotLog,
  motor,
  imu,
  timeOfFlight,
  ultrasonic,
  lineFollower,
  ultraWideband,
  oven,
  led,
  lights,
  servo,
  gpio,
  power,
  speedController,
  chipStatistics,
  chipData,
  batteryCharger,
];

export const findKind = (kind: string): SimulatedKind | undefined =>
  SIMULATED_KINDS.find((known) => known.kind === kind);

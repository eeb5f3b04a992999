import { batteryCharger } from "./battery-charger.ts";
import { chipData } from "./chip-data.ts";
import { chipStatistics } from "./chip-statistics.ts";
import { drone } from "./drone.ts";
import { gpio } from "./gpio.ts";
import { imu } from "./imu.ts";
import type { Instrument } from "./instrument.ts";
import { led } from "./led.ts";
import { lights } from "./lights.ts";
import { lineFollower } from "./line-follower.ts";
import { motor } from "./motor.ts";
import { ovenData } from "./oven-data.ts";
import { servo } from "./servo.ts";
import { speedController } from "./speed-controller.ts";
import { timeOfFlight } from "./time-of-flight.ts";
import { ultraWideband } from "./ultra-wideband.ts";
import { ultrasonic } from "./ultrasonic.ts";
import { workcellPower } from "./workcell-power.ts";

/** One row per panel; each row is a file of its own. */
export const INSTRUMENTS: readonly Instrument[] = [
  ...[motor, led, lights, servo, gpio, workcellPower, speedController, batteryCharger, drone],
  ...[imu, timeOfFlight, ultrasonic, lineFollower, ultraWideband, ovenData, chipStatistics, chipData],
];

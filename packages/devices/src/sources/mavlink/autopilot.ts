/** What differs between the two flight controllers that people have. */
export type Autopilot = {
  name: string;
  /** The mode in words, from the number in a heartbeat. */
  modeOf(customMode: number): string;
  /** Parameters 2 and 3 of DO_SET_MODE. */
  hold: readonly [number, number];
  guided: readonly [number, number];
  isGuided(customMode: number): boolean;
  isLanding(customMode: number): boolean;
  /** The parameter that says what it does without a ground station; 0: nothing. */
  failSafe: string;
  /** Take-off asks for a height above the sea, not above the ground. */
  isAboveSea: boolean;
};

/** Copter: ardupilot.org/copter/docs/parameters.html, FLTMODE1. */
const COPTER_MODES: Readonly<Record<number, string>> = {
  ...{
    0: "Stabilize",
    1: "Acro",
    2: "Altitude hold",
    3: "Mission",
    4: "Guided",
    5: "Loiter",
    6: "Return",
    7: "Circle",
  },
  ...{ 9: "Land", 16: "Position hold", 17: "Hold", 18: "Throw", 20: "Guided, no GPS", 21: "Smart return" },
};
const ARDUPILOT_MODE = { guided: 4, land: 9, brake: 17 };

const ardupilot: Autopilot = {
  name: "ArduPilot",
  modeOf: (mode) => COPTER_MODES[mode] ?? `Mode ${mode}`,
  hold: [ARDUPILOT_MODE.brake, 0],
  guided: [ARDUPILOT_MODE.guided, 0],
  isGuided: (mode) => mode === ARDUPILOT_MODE.guided,
  isLanding: (mode) => mode === ARDUPILOT_MODE.land,
  failSafe: "FS_GCS_ENABLE",
  isAboveSea: false,
};

/** PX4 has a main mode in the third byte and a mode below it in the fourth (px4_custom_mode.h). */
const PX4_MAIN: Readonly<Record<number, string>> = {
  ...{ 1: "Manual", 2: "Altitude", 3: "Position", 5: "Acro", 6: "Guided", 7: "Stabilize" },
};
const PX4_AUTO: Readonly<Record<number, string>> = {
  1: "Ready",
  2: "Take off",
  3: "Hold",
  4: "Mission",
  5: "Return",
  6: "Land",
};
const [AUTO, OFFBOARD, LOITER, LAND] = [4, 6, 3, 6];
const mainOf = (mode: number): number => (mode >>> 16) & 0xff;
const subOf = (mode: number): number => mode >>> 24;

const px4: Autopilot = {
  name: "PX4",
  modeOf: (mode) => (mainOf(mode) === AUTO ? PX4_AUTO[subOf(mode)] : PX4_MAIN[mainOf(mode)]) ?? `Mode ${mode}`,
  hold: [AUTO, LOITER],
  guided: [OFFBOARD, 0],
  isGuided: (mode) => mainOf(mode) === OFFBOARD,
  isLanding: (mode) => mainOf(mode) === AUTO && subOf(mode) === LAND,
  failSafe: "NAV_DLL_ACT",
  isAboveSea: true,
};

const NUMBERS = { ardupilot: 3, px4: 12 };

/** By MAV_AUTOPILOT; undefined: one whose modes nobody here knows, so it is not flown. */
export function autopilotOf(number: number): Autopilot | undefined {
  if (number === NUMBERS.ardupilot) return ardupilot;
  return number === NUMBERS.px4 ? px4 : undefined;
}

import { type CommandAnswer, noise, type Random, rounded, type SimulatedKind } from "../simulator.ts";

const ROOM_C = 24;
const HOTTEST_C = 45;
const FULL_CELL_V = 4.2;
/** A cell that was put in the wrong way round, or is dead, has less than this. */
const LOWEST_CELL_V = 2.5;
const MAX_A = 10;
const SLEW_A_S = 3;
/** Once per minute the current is lower for a moment: the step shows what each cell resists. */
const MEASURE = { everyS: 60, forS: 1.5, share: 0.7 };
/** A cell that is this much above the lowest is drained a little while it is charged. */
const BALANCE = { fromV: 0.01, amps: 0.15 };
/** Full when the current at the full voltage is this part of the capacity per hour. */
const END_SHARE = 0.05;
const POLARISATION_S = 20;
const PACK_J_K = 380;
const PACK_W_K = 0.35;
const CHARGER_LOSS = 0.08;
const CHARGER_J_K = 150;
const CHARGER_W_K = 0.6;
const MAX_STEP_S = 0.1;

/** Charge in percent, and the volts of a lithium polymer cell at rest. */
const AT_REST: readonly (readonly [pct: number, volts: number])[] = [
  ...[[0, 3.27] as const, [5, 3.61] as const, [10, 3.69] as const, [20, 3.75] as const],
  ...[[30, 3.79] as const, [40, 3.83] as const, [50, 3.86] as const, [60, 3.91] as const],
  ...[[70, 3.98] as const, [80, 4.06] as const, [90, 4.13] as const, [100, FULL_CELL_V] as const],
];

function voltsAtRest(pct: number): number {
  const next = AT_REST.findIndex(([from]) => from > pct);
  const [a, b] = [AT_REST.at(next === -1 ? -2 : Math.max(0, next - 1)), AT_REST.at(next)];
  if (!a || !b) return FULL_CELL_V;
  return a[1] + ((b[1] - a[1]) * (pct - a[0])) / (b[0] - a[0]);
}

type Cell = { mah: number; capacityMah: number; ohm: number; lagOhm: number; lagV: number; isReversed: boolean };

/** Four cells in series; the third one has aged. */
const newCells = (): Cell[] =>
  [
    [0.004_1, 5_000],
    [0.004, 5_020],
    [0.009_6, 4_700],
    [0.004_2, 4_990],
  ].map(([ohm = 0, capacityMah = 0]) => ({
    ...{ ohm, capacityMah, mah: 0.42 * capacityMah, lagOhm: 1.5 * ohm, lagV: 0, isReversed: false },
  }));

type State = "idle" | "constant current" | "constant voltage" | "full" | "fault";

/** A charger with constant current, then constant voltage, and the pack on it. */
class Charger {
  readonly #random: Random;
  readonly cells = newCells();
  state: State = "idle";
  fault = "";
  amps = 0;
  askedA = 0;
  putInMah = 0;
  packC = ROOM_C;
  chargerC = ROOM_C;
  #chargedS = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  get isCharging(): boolean {
    return this.state === "constant current" || this.state === "constant voltage";
  }

  voltsOf(cell: Cell, amps = this.amps): number {
    const volts = voltsAtRest((100 * cell.mah) / cell.capacityMah) + cell.lagV + amps * cell.ohm;
    return cell.isReversed ? -volts : volts;
  }

  isBalanced(cell: Cell): boolean {
    const lowest = Math.min(...this.cells.map((each) => this.voltsOf(each, 0)));
    return this.isCharging && this.voltsOf(cell, 0) > lowest + BALANCE.fromV;
  }

  /** Why it must not charge now; undefined: it may. */
  reason(): string | undefined {
    if (this.packC > HOTTEST_C) return `the pack has ${this.packC.toFixed(0)} °C, more than ${HOTTEST_C} °C`;
    const place = this.cells.findIndex((cell) => this.voltsOf(cell) < LOWEST_CELL_V);
    if (place === -1) return undefined;
    return `cell ${place + 1} has ${this.voltsOf(this.cells[place] as Cell).toFixed(2)} V: it is dead, or the wrong way round`;
  }

  start(amps: number): CommandAnswer {
    const reason = this.reason();
    if (reason !== undefined) return { ok: false, code: "denied", detail: `It does not start: ${reason}.` };
    if (!this.isCharging) [this.putInMah, this.#chargedS] = [0, 0];
    Object.assign(this, { askedA: amps, fault: "", state: "constant current" });
    return {
      ok: true,
      isThere: () => {
        if (this.state === "fault") return `It has stopped: ${this.fault}.`;
        return !this.isCharging || this.state === "constant voltage" || this.amps >= 0.98 * this.askedA;
      },
    };
  }

  stop(): void {
    if (this.isCharging) this.state = "idle";
  }

  step(seconds: number): void {
    const reason = this.reason();
    if (this.isCharging && reason !== undefined) Object.assign(this, { state: "fault", fault: reason });
    this.#drive(seconds);
    for (const cell of this.cells) {
      const drained = this.isBalanced(cell) ? BALANCE.amps : 0;
      cell.mah = Math.min(cell.capacityMah, cell.mah + ((this.amps - drained) * seconds) / 3.6);
      cell.lagV += ((this.amps * cell.lagOhm - cell.lagV) * seconds) / POLARISATION_S;
    }
    this.putInMah += (this.amps * seconds) / 3.6;
    this.#heat(seconds);
  }

  #drive(seconds: number): void {
    const restV = this.cells.reduce((sum, cell) => sum + this.voltsOf(cell, 0), 0);
    const ohms = this.cells.reduce((sum, { ohm }) => sum + ohm, 0);
    // The pack at its limit, and no cell above its own.
    const most = Math.min(
      (this.cells.length * FULL_CELL_V - restV) / ohms,
      ...this.cells.map((cell) => (FULL_CELL_V + 0.01 - this.voltsOf(cell, 0)) / cell.ohm),
    );
    this.#chargedS = this.isCharging ? this.#chargedS + seconds : 0;
    const isMeasuring = this.#chargedS > 5 && this.#chargedS % MEASURE.everyS < MEASURE.forS;
    const wanted = this.isCharging ? Math.max(0, Math.min(this.askedA, most)) * (isMeasuring ? MEASURE.share : 1) : 0;
    const change = Math.max(-SLEW_A_S * seconds, Math.min(SLEW_A_S * seconds, wanted - this.amps));
    this.amps = this.isCharging ? Math.min(this.amps + change, Math.max(0, most)) : 0;
    if (!this.isCharging || isMeasuring) return;
    if (most < this.askedA && this.amps >= most - 1e-6) this.state = "constant voltage";
    const capacityAh = Math.min(...this.cells.map(({ capacityMah }) => capacityMah)) / 1_000;
    if (this.state === "constant voltage" && most < END_SHARE * capacityAh)
      Object.assign(this, { state: "full", amps: 0 });
  }

  #heat(seconds: number): void {
    const packV = this.cells.reduce((sum, cell) => sum + this.voltsOf(cell), 0);
    const inPack = this.cells.reduce((sum, { ohm, lagOhm }) => sum + this.amps ** 2 * (ohm + lagOhm), 0);
    this.packC += ((3 * inPack - PACK_W_K * (this.packC - ROOM_C)) * seconds) / PACK_J_K;
    const inCharger = CHARGER_LOSS * Math.max(0, packV * this.amps);
    this.chargerC += ((inCharger - CHARGER_W_K * (this.chargerC - ROOM_C)) * seconds) / CHARGER_J_K;
  }

  read() {
    const cells = this.cells.map((cell) => this.voltsOf(cell) + noise(this.#random, 0.000_1));
    const capacity = Math.min(...this.cells.map(({ capacityMah }) => capacityMah));
    const soc = this.cells.reduce((sum, { mah, capacityMah }) => sum + mah / capacityMah, 0) / this.cells.length;
    return {
      ...{ state: this.state, fault: this.fault === "" ? null : this.fault },
      pack_v: rounded(
        cells.reduce((sum, volts) => sum + volts, 0),
        3,
      ),
      current_a: rounded(this.amps, 3),
      cell_v: cells.map((volts) => rounded(volts, 4)),
      balance: this.cells.map((cell) => this.isBalanced(cell)),
      charge_mah: Math.round(this.putInMah),
      capacity_mah: capacity,
      soc_pct: rounded(100 * soc, 1),
      temperature_c: [rounded(this.packC, 1), rounded(this.chargerC, 1)],
      limit_v: rounded(this.cells.length * FULL_CELL_V, 2),
      end_a: rounded((END_SHARE * capacity) / 1_000, 3),
    };
  }
}

/** A lithium polymer pack on a charger. */
export const batteryCharger: SimulatedKind = {
  kind: "battery-charger",
  name: "Battery charger",
  model: "4 cells, 5,000 mAh",
  description: "A pack of four cells on a charger; one cell has aged",
  nodes: {
    charger: {
      ...{ name: "Charger", kind: "battery-charger", rateHz: 4 },
      fields: {
        state: { type: "string" },
        fault: { type: "string" },
        pack_v: { unit: "V" },
        current_a: { unit: "A", min: 0, max: MAX_A },
        cell_v: { unit: "V", type: "array" },
        balance: { type: "array" },
        charge_mah: { unit: "mAh", min: 0 },
        capacity_mah: { unit: "mAh", min: 0 },
        soc_pct: { unit: "%", min: 0, max: 100 },
        temperature_c: { unit: "°C", type: "array" },
        limit_v: { unit: "V" },
        end_a: { unit: "A" },
      },
      commands: {
        start: { effect: "powers", params: { current_a: { type: "number", minimum: 0.1, maximum: MAX_A } } },
        stop: { effect: "none" },
      },
    },
  },
  create(random) {
    const charger = new Charger(random);
    return {
      step(seconds) {
        for (let left = seconds; left > 1e-9; left -= MAX_STEP_S) charger.step(Math.min(left, MAX_STEP_S));
      },
      read: () => charger.read(),
      tell(what, value) {
        if (what === "temperature_c") charger.packC = Number(value);
        if (what === "soc_pct") for (const cell of charger.cells) cell.mah = (cell.capacityMah * Number(value)) / 100;
        if (what === "reversed_cell")
          for (const [place, cell] of charger.cells.entries()) cell.isReversed = place + 1 === value;
      },
      command(_node, name, params): CommandAnswer {
        if (name === "start") return charger.start(Number(params.current_a));
        charger.stop();
        return { ok: true };
      },
    };
  },
};

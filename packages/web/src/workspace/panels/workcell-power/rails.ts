import type { Ack, Capability } from "@backplane/contract/devices";
import type { JsonData } from "@backplane/contract/panels";
import { isObject, numberOf, textOf } from "../../controls/json.ts";
import { choicesOf, wordsOf } from "../../controls/params.ts";

type Values = Readonly<Record<string, JsonData | null>>;

export type Rail = {
  id: string;
  name: string;
  /** The supply and its channel, in the words of the device. */
  by: string | undefined;
  /** off, rising, on, fault; undefined: the device does not say. */
  state: string | undefined;
  volts: number | undefined;
  amps: number | undefined;
  limitA: number | undefined;
  wh: number | undefined;
};

/** The rails in the order in which they are switched on: that of the device's own list. */
export const readRails = ({ commands }: Pick<Capability, "commands">, values: Values): Rail[] =>
  choicesOf(commands.on, "rail").map((id) => ({
    id,
    name: railName(id),
    by: textOf(values[`${id}_by`]),
    state: textOf(values[`${id}_state`]),
    volts: numberOf(values[`${id}_v`]),
    amps: numberOf(values[`${id}_a`]),
    limitA: numberOf(values[`${id}_limit_a`]),
    wh: numberOf(values[`${id}_wh`]),
  }));

/** drives_24v → 24 V drives */
export function railName(id: string): string {
  const [, what, volts] = /^(.+?)_(\d{1,3})v$/.exec(id) ?? [];
  return what === undefined ? wordsOf(id) : `${volts} V ${what.replaceAll("_", " ")}`;
}

export const isOff = ({ state }: Pick<Rail, "state">): boolean => state !== "on" && state !== "rising";

export type Interlock = { id: string; name: string; isOk: boolean | undefined; value: string };

/** What is not a rail and must be as it should: switches, and values with a highest value. */
export function readInterlocks(
  { fields }: Pick<Capability, "fields">,
  rails: readonly Rail[],
  values: Values,
): Interlock[] {
  const isOfRail = (field: string) => rails.some(({ id }) => field.startsWith(`${id}_`));
  return Object.entries(fields).flatMap(([id, { datatype, max, unit = "" }]): Interlock[] => {
    if (isOfRail(id)) return [];
    const value = values[id];
    if (datatype === "boolean") {
      const isOk = typeof value === "boolean" ? value : undefined;
      return [{ id, name: wordsOf(id), isOk, value: isOk === undefined ? "–" : isOk ? "yes" : "no" }];
    }
    const number = numberOf(value);
    if (max === undefined || (datatype !== "number" && datatype !== "integer")) return [];
    const words = number === undefined ? "–" : `${number.toFixed(0)} ${unit}`;
    const name = wordsOf(id.replace(/_c$/, ""));
    return [
      {
        id,
        name: `${name} under ${max} ${unit}`,
        isOk: number === undefined ? undefined : number <= max,
        value: words,
      },
    ];
  });
}

export type Inrush = { rail: string; stepMs: number; amps: number[]; volts: number[] };

const MAX_POINTS = 2_000;

/** The picture of the last rail that was switched on; undefined: there is none that can be read. */
export function readInrush(value: JsonData | null | undefined): Inrush | undefined {
  if (!isObject(value)) return undefined;
  const numbers = (list: JsonData | undefined) =>
    (Array.isArray(list) ? list : []).slice(0, MAX_POINTS).filter((one) => typeof one === "number");
  const [amps, volts] = [numbers(value.a), numbers(value.v)];
  const [rail, stepMs] = [textOf(value.rail), numberOf(value.step_ms)];
  if (rail === undefined || stepMs === undefined || stepMs <= 0 || amps.length < 2) return undefined;
  return { rail, stepMs, amps, volts };
}

/** Its peak, and after which time the current stayed under the limit. */
export function inrushFacts({ amps, stepMs }: Inrush, limitA: number | undefined) {
  const peakA = Math.max(...amps);
  const lastOver = limitA === undefined ? -1 : amps.findLastIndex((one) => one > limitA);
  const isNeverUnder = lastOver === amps.length - 1;
  return {
    peakA,
    peakMs: amps.indexOf(peakA) * stepMs,
    underAfterMs: isNeverUnder ? undefined : (lastOver + 1) * stepMs,
  };
}

/** peak 6.3 A, under the limit after 9 ms */
export function inrushWords(inrush: Inrush, limitA: number | undefined): string {
  const { peakA, underAfterMs } = inrushFacts(inrush, limitA);
  const after =
    limitA === undefined
      ? ""
      : underAfterMs === undefined
        ? ", not under the limit"
        : underAfterMs === 0
          ? ""
          : `, under the limit after ${underAfterMs} ms`;
  return `peak ${peakA.toFixed(1)} A${after}`;
}

/** How long the order waits for an interlock before it gives up, and how often it looks. */
const WAIT_MS = 60_000;
const LOOK_MS = 1_000;

export type Order = { at: number; status: "rising" | "waits" | "stopped" | "done"; detail: string };

type Ordering = {
  rails: readonly Pick<Rail, "id" | "name" | "state">[];
  switchOn(rail: string): Promise<Ack>;
  /** Names of interlocks that are open now. */
  open(): readonly string[];
  pause(ms: number): Promise<void>;
  isCancelled(): boolean;
  onOrder(order: Order): void;
};

/**
 * Switches rails on one after the other, each when the device has said that the one before it is up. An open interlock is waited
 * for; anything else that is refused ends the order, and what is on stays on.
 */
export async function powerUp({ rails, switchOn, open, pause, isCancelled, onOrder }: Ordering): Promise<void> {
  for (const [at, rail] of rails.entries()) {
    if (rail.state === "on") continue;
    for (let waitedMs = 0; ; waitedMs += LOOK_MS) {
      if (isCancelled()) return;
      const closed = open();
      if (waitedMs === 0 || closed.length === 0) {
        onOrder({ at, status: "rising", detail: rail.name });
        const ack = await switchOn(rail.id);
        if (isCancelled()) return;
        if (ack.ok) break;
        if (open().length === 0) return onOrder({ at, status: "stopped", detail: ack.detail ?? ack.code ?? "" });
      }
      if (waitedMs >= WAIT_MS)
        return onOrder({ at, status: "stopped", detail: `${open().join(", ")} stayed open for 60 s.` });
      onOrder({ at, status: "waits", detail: open().join(", ") });
      await pause(LOOK_MS);
    }
  }
  onOrder({ at: rails.length - 1, status: "done", detail: "" });
}

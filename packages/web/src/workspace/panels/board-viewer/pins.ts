import type { Device } from "@backplane/contract/devices";
import type { BoardViewerState } from "@backplane/contract/panels";
import { useEffect, useRef } from "react";
import { useClock, useDeviceList } from "../../device-panel/use-devices.ts";
import type { PanelContext } from "../../panel.ts";
import { numberWords, withUnit } from "../../parts/plot/words.ts";
import { fieldLabel, numbersOf } from "../../plot-panel/fields.ts";

export type Pin = NonNullable<BoardViewerState["pins"]>[number];
export type ShownPin = Pin & { key: string; label: string; words: string; isLost: boolean };

export const MAX_PINS = 24;

const keyOf = ({ part, device, capability, field }: Pin): string => [part, device, capability, field].join(" ");

/** Everything that devices measure now, to choose from. */
export const measuredBy = (devices: readonly Device[]): { words: string; pin: Omit<Pin, "part"> }[] =>
  devices.flatMap((device) =>
    device.capabilities.flatMap((capability) =>
      numbersOf(capability).map(({ key, label }) => ({
        words: `${device.name}: ${label}`,
        pin: { device: device.id, capability: capability.id, field: key },
      })),
    ),
  );

/** The last value of each pin, as it comes. */
export function usePins(context: PanelContext, pins: readonly Pin[]): ShownPin[] {
  const { devices } = context;
  const list = useDeviceList(devices);
  const values = useRef(new Map<string, number>());
  useClock(context);
  const wanted = JSON.stringify(pins);
  useEffect(() => {
    const kept = values.current;
    kept.clear();
    const stops = (JSON.parse(wanted) as Pin[]).map((pin) =>
      devices.subscribe(
        { device: pin.device, capability: pin.capability, fields: [pin.field], historyMs: 10_000 },
        ({ fields, isReset }) => {
          if (isReset) kept.delete(keyOf(pin));
          const last = fields[pin.field]?.findLast((value) => typeof value === "number");
          if (typeof last === "number") kept.set(keyOf(pin), last);
        },
      ),
    );
    return () => {
      for (const stop of stops) stop();
    };
  }, [devices, wanted]);

  return pins.map((pin) => {
    const key = keyOf(pin);
    const device = list.find(({ id }) => id === pin.device);
    const unit = device?.capabilities.find(({ id }) => id === pin.capability)?.fields[pin.field]?.unit ?? "";
    const value = values.current.get(key);
    const words = value === undefined ? "–" : withUnit(numberWords(value, digitsFor(value)), unit);
    const isLost = device === undefined || device.state === "lost" || device.state === "disconnected";
    return { ...pin, key, label: `${pin.part}, ${fieldLabel(pin.field).toLowerCase()}`, words, isLost };
  });
}

const digitsFor = (value: number): number => (Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);

import "./controls.css";
import type { JsonData } from "@backplane/contract/panels";
import { type ReactNode, useEffect, useState } from "react";
import type { DeviceContent } from "../device-panel/device-panel.tsx";
import { pageBeat } from "../parts/beat.ts";
import { numberWords } from "../parts/plot/words.ts";

const SHOWN_EVERY_HZ = 10;
const SHOWN_EVERY_MS = 1_000 / SHOWN_EVERY_HZ;

export type Values = Readonly<Record<string, JsonData | null>>;

/** The last value of every field. One that is missing is never 0. The same object as long as nothing changed. */
export function useValues({ context, device, capability }: Omit<DeviceContent, "commands">): Values {
  const { devices } = context;
  const [values, setValues] = useState<Values>({});
  useEffect(() => {
    let latest: Values = {};
    const stops = [
      devices.subscribe(
        { device: device.id, capability: capability.id, rateHz: SHOWN_EVERY_HZ, historyMs: 1_000 },
        ({ fields, isReset }) => {
          const last = Object.entries(fields).map(([name, column]) => [name, column.at(-1) ?? null] as const);
          if (isReset || last.some(([name, value]) => !isSame(latest[name], value)))
            latest = { ...(isReset ? {} : latest), ...Object.fromEntries(last) };
        },
      ),
      pageBeat.add(context, SHOWN_EVERY_MS, () => setValues(latest)),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [context, devices, device.id, capability.id]);
  return values;
}

const isSame = (a: JsonData | null | undefined, b: JsonData | null): boolean =>
  a === b || (typeof a === "object" && typeof b === "object" && JSON.stringify(a) === JSON.stringify(b));

/** A dash where there is no value, and digits that fit its size. */
export function shown(value: JsonData | null | undefined, digits?: number): string {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return typeof value === "string" ? value : JSON.stringify(value);
  return numberWords(value, digits ?? (Math.abs(value) >= 100 ? 0 : 1));
}

/** Values side by side, each with its name and unit. */
export function Readouts({ isLost, children }: { isLost: boolean; children: ReactNode }) {
  return (
    <dl className="readouts" data-lost={isLost || undefined}>
      {children}
    </dl>
  );
}

type ReadoutProps = {
  label: string;
  field: string;
  value: JsonData | null | undefined;
  unit?: string | undefined;
  digits?: number;
};

export const Readout = ({ label, field, value, unit, digits }: ReadoutProps) => (
  <div>
    <dt>{label}</dt>
    <dd data-field={field}>
      {shown(value, digits)} <small>{unit}</small>
    </dd>
  </div>
);

/** How much of its limit something uses. */
export function Meter({ share, label }: { share: number; label: string }) {
  const part = Math.max(0, Math.min(1, share));
  const tone = part > 0.95 ? "danger" : part > 0.8 ? "warn" : "";
  return (
    <span className="meter" role="img" aria-label={`${label}: ${Math.round(100 * share)} %`}>
      <i className={tone} style={{ width: `${100 * part}%` }} />
    </span>
  );
}

import "./controls.css";
import type { JsonData } from "@backplane/contract/panels";
import { type ReactNode, useEffect, useState } from "react";
import type { DeviceContent } from "../device-panel/device-panel.tsx";
import { numberWords } from "../parts/plot/words.ts";

const SHOWN_EVERY_HZ = 10;

export type Values = Readonly<Record<string, JsonData | null>>;

/** The last value of every field. One that is missing is never 0. */
export function useValues({ context: { devices }, device, capability }: Omit<DeviceContent, "commands">): Values {
  const [values, setValues] = useState<Values>({});
  useEffect(
    () =>
      devices.subscribe(
        { device: device.id, capability: capability.id, rateHz: SHOWN_EVERY_HZ, historyMs: 1_000 },
        ({ fields, isReset }) =>
          setValues((before) => ({
            ...(isReset ? {} : before),
            ...Object.fromEntries(Object.entries(fields).map(([name, column]) => [name, column.at(-1) ?? null])),
          })),
      ),
    [devices, device.id, capability.id],
  );
  return values;
}

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

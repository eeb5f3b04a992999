import type { JsonObject } from "@backplane/contract/panels";
import { useCallback, useEffect, useMemo, useState } from "react";
import { paramsOf } from "../../controls/params.ts";
import type { LastCommand } from "../../device-panel/command-row.tsx";
import type { Fitting } from "../../device-panel/fitting.ts";
import type { PanelContext } from "../../panel.ts";
import { pageBeat } from "../../parts/beat.ts";
import { type Asked, answerOf, given, keyOf, type LampState, readLamp } from "./room.ts";

const SHOWN_EVERY_HZ = 5;
/** A slider that is dragged sends on after this, also when a lamp has not answered yet. */
const NEXT_AFTER_MS = 600;

/** What every lamp reports, and when one of them last reported something else. */
export function useLampStates(context: PanelContext, lamps: readonly Fitting[]) {
  const { devices } = context;
  const [states, setStates] = useState<ReadonlyMap<string, JsonObject>>(new Map());
  const [changedMs, setChanged] = useState<number>();
  const keys = lamps.map(keyOf).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list is new with every value, its keys are not
  useEffect(() => {
    const latest = new Map<string, JsonObject>();
    let isNew = false;
    let lastMs: number | undefined;
    const stops = lamps.map((lamp) => {
      const key = keyOf(lamp);
      const want = {
        device: lamp.device.id,
        capability: lamp.capability.id,
        rateHz: SHOWN_EVERY_HZ,
        historyMs: 600_000,
      };
      return devices.subscribe(want, ({ tMs, fields, isReset }) => {
        const before = JSON.stringify(latest.get(key));
        const values = isReset ? {} : { ...latest.get(key) };
        for (const [name, column] of Object.entries(fields)) {
          const last = column.findLast((value) => value !== null);
          if (last !== undefined && last !== null) values[name] = last;
        }
        latest.set(key, values);
        if (JSON.stringify(values) === before) return;
        isNew = true;
        // The first that is heard of a lamp is not a change.
        if (before !== undefined && !isReset) lastMs = tMs.at(-1);
      });
    });
    stops.push(
      pageBeat.add(context, 1_000 / SHOWN_EVERY_HZ, () => {
        if (isNew) setStates(new Map(latest));
        setChanged(lastMs);
        isNew = false;
      }),
    );
    return () => {
      for (const stop of stops) stop();
    };
  }, [context, devices, keys]);
  const read: ReadonlyMap<string, LampState> = useMemo(
    () => new Map([...states].map(([key, values]) => [key, readLamp(values)])),
    [states],
  );
  return { states: read, changedMs };
}

export type Orders = ReadonlyMap<string, LampState>;

/** Commands to several lamps at once, each with its own answer. */
export function useGroup({ devices, clock }: PanelContext, lamps: readonly Fitting[]) {
  const [group, setGroup] = useState<{ words: string; atMs: number; lamps: ReadonlyMap<string, Asked> }>();
  const send = useCallback(
    async (orders: Orders, words: string) => {
      const atMs = clock.nowMs();
      const meant = lamps.flatMap((lamp) => {
        const wanted = orders.get(keyOf(lamp));
        const known = paramsOf(lamp.capability.commands.set);
        const asked =
          wanted && Object.fromEntries(Object.entries(given(wanted)).filter(([name]) => Object.hasOwn(known, name)));
        return asked && Object.keys(asked).length > 0 ? [{ lamp, asked }] : [];
      });
      const first = meant.map(
        ({ lamp, asked }) => [keyOf(lamp), { asked, ack: undefined, answeredMs: undefined }] as const,
      );
      setGroup({ words, atMs, lamps: new Map(first) });
      const answers = meant.map(async ({ lamp: { device, capability }, asked }) => {
        const ack = await devices.command({ device: device.id, capability: capability.id }, "set", asked);
        const key = `${device.id}/${capability.id}`;
        setGroup((before) =>
          before?.atMs === atMs
            ? { ...before, lamps: new Map(before.lamps).set(key, { asked, ack, answeredMs: clock.nowMs() }) }
            : before,
        );
      });
      await Promise.race([Promise.all(answers), new Promise((resolve) => setTimeout(resolve, NEXT_AFTER_MS))]);
      return { ok: true, tookMs: clock.nowMs() - atMs };
    },
    [devices, clock, lamps],
  );
  return { group, send };
}

/** The last command to a group, as the row of the last command shows it. */
export function lastOf(
  group: ReturnType<typeof useGroup>["group"],
  states: ReadonlyMap<string, LampState>,
  nowMs: number,
): LastCommand | undefined {
  if (!group) return undefined;
  const all = [...group.lamps];
  const answers = all.map(([key, asked]) => answerOf(asked, states.get(key) ?? {}, nowMs));
  const isOver = answers.every(({ word }) => word !== "asked" && word !== "accepted");
  const there = answers.filter(({ isThere }) => isThere).length;
  const times = all.flatMap(([, { ack }]) => (ack?.ok ? [ack.tookMs] : []));
  const tookMs = Math.max(0, ...times);
  const refused = all.find(([, { ack }]) => ack && !ack.ok)?.[1].ack;
  const ack =
    there === 0 && refused
      ? refused
      : { ok: true, tookMs, ...(there < all.length ? { detail: `${there} of ${all.length}` } : {}) };
  const { words, atMs } = group;
  return { words, atMs, acceptedMs: times.length > 0 ? Math.min(...times) : undefined, ack: isOver ? ack : undefined };
}

import type { OpenHub } from "./hub.ts";

export type Measure = (
  workspaceId: string,
  want: { device: string | null; capability: string; field: string; fromMs: number; maxDevices: number },
) => Promise<{ device: string; samples: { tMs: number; value: unknown }[] }[]>;

/** What devices sent since a time, of those in memory, for other areas. Device null: any; a capability by its id or kind. */
export const createMeasure =
  (openHub: (workspaceId: string) => Promise<OpenHub | undefined>): Measure =>
  async (workspaceId, { device, capability, field, fromMs, maxDevices }) => {
    const hub = await openHub(workspaceId);
    const fitting = (hub?.view.devices() ?? [])
      .filter(({ id }) => device === null || id === device)
      .flatMap(({ id, capabilities }) =>
        capabilities
          .filter((each) => (each.id === capability || each.kind === capability) && Object.hasOwn(each.fields, field))
          .map((each) => ({ id, capability: each.id })),
      )
      .slice(0, maxDevices);
    const measured = [];
    for (const each of fitting) {
      const watch = hub?.view.watch(each.id, each.capability);
      try {
        await watch?.ready;
        const ring = hub?.view.ring(each.id, each.capability);
        const samples = [];
        for (let number = ring?.first ?? 0; number < (ring?.next ?? 0); number += 1) {
          const kept = ring?.sample(number);
          const value = kept && Object.hasOwn(kept.values, field) ? kept.values[field] : undefined;
          if (kept && kept.tMs >= fromMs && value !== undefined) samples.push({ tMs: kept.tMs, value });
        }
        measured.push({ device: each.id, samples });
      } finally {
        watch?.stop();
      }
    }
    return measured;
  };

import type { Device } from "@backplane/contract/devices";
import { LESSON_LIMITS, type LessonStep, type ValueCheck } from "@backplane/contract/panels";

/** One capability of a device that a check looks at. */
export type CheckTarget = { device: Device; capability: Device["capabilities"][number] };

/** What a check looks at: the same devices as the server, which decides. */
export function targetsOf(devices: readonly Device[], { device, capability, field }: ValueCheck): CheckTarget[] {
  return devices
    .filter(({ id }) => device === null || id === device)
    .flatMap((each) =>
      each.capabilities
        .filter(({ id, kind, fields }) => (id === capability || kind === capability) && Object.hasOwn(fields, field))
        .map((found) => ({ device: each, capability: found })),
    )
    .slice(0, LESSON_LIMITS.maxDevicesPerCheck);
}

/** The first step with a check that is not done; undefined: all are. */
export const currentOf = (steps: readonly LessonStep[]): LessonStep | undefined =>
  steps.find(({ check, done }) => check !== null && done === null);

/** Values until the step before was done do not count. */
export function afterOf(steps: readonly LessonStep[], { id }: LessonStep): number {
  const before = steps.slice(
    0,
    steps.findIndex((step) => step.id === id),
  );
  return before.findLast(({ done }) => done !== null)?.done?.atMs ?? Number.NEGATIVE_INFINITY;
}

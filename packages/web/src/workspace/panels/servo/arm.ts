import type { JsonData } from "@backplane/contract/panels";
import { isObject, numberOf, textOf } from "../../controls/json.ts";

/** What the servos of a bus move, as the device describes it: links one after the other, seen from the side. */
export type Arm = {
  /** How high the first joint is. */
  baseMm: number;
  /** The channel that turns all of it. */
  turn: string | undefined;
  links: readonly Link[];
};

/** `zeroDeg`: the angle to the link before it when its servo is at 0; the first one is counted from straight up. */
type Link = { channel: string; lengthMm: number; zeroDeg: number };

/** Forward and up, in mm. */
export type Joint = { x: number; z: number };

const MAX_LINKS = 8;

export function readArm(value: JsonData | null | undefined): Arm | undefined {
  if (!isObject(value) || !Array.isArray(value.links)) return undefined;
  const links = value.links.slice(0, MAX_LINKS).flatMap((one): Link[] => {
    if (!isObject(one)) return [];
    const [channel, lengthMm] = [textOf(one.channel), numberOf(one.length_mm)];
    if (channel === undefined || lengthMm === undefined || !(lengthMm > 0)) return [];
    return [{ channel, lengthMm, zeroDeg: numberOf(one.zero_deg) ?? 0 }];
  });
  return links.length === 0 ? undefined : { baseMm: numberOf(value.base_mm) ?? 0, turn: textOf(value.turn), links };
}

/** Where its joints are, from the first to the end of the last link; up to the first angle that is not known. */
export function jointsOf({ baseMm, links }: Arm, degOf: (channel: string) => number | undefined): Joint[] {
  const joints: Joint[] = [{ x: 0, z: baseMm }];
  let [sum, last] = [0, joints[0] as Joint];
  for (const { channel, lengthMm, zeroDeg } of links) {
    const deg = degOf(channel);
    if (deg === undefined) break;
    sum += ((deg + zeroDeg) * Math.PI) / 180;
    last = { x: last.x + lengthMm * Math.sin(sum), z: last.z + lengthMm * Math.cos(sum) };
    joints.push(last);
  }
  return joints;
}

/** How far it can reach from the first joint. */
export const reachOf = ({ links }: Arm): number => links.reduce((sum, { lengthMm }) => sum + lengthMm, 0);

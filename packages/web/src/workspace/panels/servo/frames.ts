import type { Capability } from "@backplane/contract/devices";
import type { JsonData } from "@backplane/contract/panels";
import { isObject, numberOf } from "../../controls/json.ts";
import { type Limits, paramsOf, wordsOf } from "../../controls/params.ts";

/** Angles in degrees, by channel. */
export type Pose = Readonly<Record<string, number>>;
export type Frame = { name: string; atS: number; pose: Pose };
export type Channel = { id: string; name: string; limits: Limits };

export const MAX_FRAMES = 24;
const ANGLE = "_deg";
/** Between a key frame and the next one that is added. */
const NEXT_S = 1;

/** The channels of a servo bus are the angles that its pose has. */
export function channelsOf({ commands, fields }: Pick<Capability, "commands" | "fields">): Channel[] {
  return Object.entries(paramsOf(commands.pose)).flatMap(([param, { minimum, maximum }]) => {
    if (!param.endsWith(ANGLE)) return [];
    const id = param.slice(0, -ANGLE.length);
    const limit = (declared: JsonData | undefined, measured: number | undefined, otherwise: number) =>
      numberOf(declared) ?? measured ?? otherwise;
    const field = Object.hasOwn(fields, param) ? fields[param] : undefined;
    return [
      { id, name: wordsOf(id), limits: [limit(minimum, field?.min, -180), limit(maximum, field?.max, 180)] as const },
    ];
  });
}

/** As parameters of the command. */
export const poseParams = (pose: Pose): Record<string, number> =>
  Object.fromEntries(Object.entries(pose).map(([channel, deg]) => [`${channel}${ANGLE}`, Math.round(deg * 10) / 10]));

/** Key frames as the tab keeps them, in the order of their times; what cannot be read is left out. */
export function readFrames(value: JsonData | undefined): Frame[] {
  if (!Array.isArray(value)) return [];
  const frames = value.slice(0, MAX_FRAMES).flatMap((one) => {
    if (!isObject(one) || typeof one.name !== "string" || typeof one.atS !== "number" || !isObject(one.pose)) return [];
    const pose = Object.entries(one.pose).filter((entry): entry is [string, number] => typeof entry[1] === "number");
    return [{ name: one.name, atS: Math.max(0, one.atS), pose: Object.fromEntries(pose) }];
  });
  return frames.toSorted((a, b) => a.atS - b.atS);
}

/** What is measured now, within the limits: noise at an end of the travel is no angle that can be asked for. */
export const poseNow = (channels: readonly Channel[], values: Readonly<Record<string, JsonData | null>>): Pose =>
  Object.fromEntries(
    channels.flatMap(({ id, limits: [min, max] }) => {
      const deg = numberOf(values[`${id}${ANGLE}`]);
      return deg === undefined ? [] : [[id, Math.max(min, Math.min(max, deg))]];
    }),
  );

export const addFrame = (frames: readonly Frame[], pose: Pose): Frame[] => {
  const last = frames.at(-1);
  return [...frames, { name: `Pose ${frames.length + 1}`, atS: last ? last.atS + NEXT_S : 0, pose }];
};

export const lengthOf = (frames: readonly Frame[]): number => frames.at(-1)?.atS ?? 0;

/** The angle of a channel at a time, on the straight line between two key frames. */
export function angleAt(frames: readonly Frame[], channel: string, atS: number): number | undefined {
  const known = frames.filter(({ pose }) => Object.hasOwn(pose, channel));
  const next = known.find((frame) => frame.atS >= atS) ?? known.at(-1);
  const before = known.findLast((frame) => frame.atS <= atS) ?? next;
  if (!next || !before) return undefined;
  const [from = 0, to = 0] = [before.pose[channel], next.pose[channel]];
  const span = next.atS - before.atS;
  return span === 0 ? to : from + ((to - from) * (atS - before.atS)) / span;
}

/** How long the way to the first key frame takes: nothing jumps. */
const APPROACH_S = 1.5;

/** What is sent one after the other: a pose, how long it takes, and where it ends on the time line. */
export function stepsOf(frames: readonly Frame[]): { frame: Frame; overS: number; endS: number }[] {
  return frames.map((frame, i) => {
    const before = frames[i - 1];
    return { frame, overS: before ? frame.atS - before.atS : APPROACH_S, endS: frame.atS };
  });
}

import {
  DEVICES_LIMITS,
  type DeviceLine,
  type RecordedChannel,
  type RecordingMark,
  type RecordingPreview,
  type Sample,
} from "@backplane/contract/devices";
import { levelNumber } from "../foxglove/channels.ts";
import { type ControlEvent, topicOf } from "./channels.ts";
import { createPreview, type Preview } from "./preview.ts";

const { maxMarks, maxGaps, gapMs, previewFields } = DEVICES_LIMITS;
const MAX_MARK_TEXT = 160;
const WARN = 3;

/** What lists and the replay bar show of a recording without reading it. */
export type Summary = {
  messages: number;
  recorded: RecordedChannel[];
  lines: number;
  marks: RecordingMark[];
  gaps: [number, number][];
  preview: RecordingPreview[];
};

export const emptySummary = (): Summary => ({
  ...{ messages: 0, recorded: [], lines: 0, marks: [], gaps: [], preview: [] },
});

/** Gathers a summary while a recording is written. It is bounded, whatever is recorded. */
export type SummaryBuilder = {
  readonly messages: number;
  sample(sample: Sample, kind: string): void;
  line(line: DeviceLine): void;
  control(event: ControlEvent): void;
  build(endMs: number): Summary;
};

export function createSummary(startMs: number): SummaryBuilder {
  const channels = new Map<string, RecordedChannel>();
  const previews = new Map<
    string,
    { preview: Preview; of: Pick<RecordingPreview, "device" | "capability" | "field"> }
  >();
  const gaps: [number, number][] = [];
  let marks: RecordingMark[] = [];
  let [messages, lines] = [0, 0];
  let lastMs = startMs;

  function mark(tMs: number, level: string, text: string): void {
    if (levelNumber(level) < WARN) return;
    marks.push({ tMs, level, text: text.slice(0, MAX_MARK_TEXT) });
    // Every second one of them still shows where much happened.
    if (marks.length >= 2 * maxMarks) marks = marks.filter((_, i) => i % 2 === 0);
  }

  function preview({ device, capability, tMs, values }: Sample, isNew: boolean): void {
    if (isNew && previews.size < previewFields) {
      const field = Object.keys(values).find((name) => typeof values[name] === "number");
      if (field !== undefined)
        previews.set(topicOf({ device, capability }), {
          preview: createPreview(startMs),
          of: { device, capability, field },
        });
    }
    const shown = previews.get(topicOf({ device, capability }));
    const value = shown && values[shown.of.field];
    if (typeof value === "number") shown?.preview.add(tMs, value);
  }

  return {
    get messages() {
      return messages;
    },
    sample(sample, kind) {
      const { device, capability, tMs } = sample;
      messages += 1;
      const topic = topicOf(sample);
      const known = channels.get(topic);
      if (known) known.messages += 1;
      else channels.set(topic, { device, capability, kind, messages: 1 });
      if (tMs - lastMs > gapMs) gaps.push([lastMs, tMs]);
      if (gaps.length > maxGaps) dropShortest(gaps);
      lastMs = Math.max(lastMs, tMs);
      preview(sample, known === undefined);
    },
    line({ tMs, level, device, text }) {
      messages += 1;
      lines += 1;
      mark(tMs, level, `${device}: ${text}`);
    },
    control({ tMs, level, text }) {
      messages += 1;
      mark(tMs, level, text);
    },
    build: (endMs) => ({
      ...{ messages, recorded: [...channels.values()], lines, marks: marks.slice(-maxMarks), gaps: [...gaps] },
      preview: Array.from(previews.values(), ({ preview: shown, of }) => ({ ...of, ...shown.points(endMs) })),
    }),
  };
}

function dropShortest(gaps: [number, number][]): void {
  const length = ([from, to]: [number, number]) => to - from;
  const shortest = gaps.reduce((least, gap) => (length(gap) < length(least) ? gap : least));
  gaps.splice(gaps.indexOf(shortest), 1);
}

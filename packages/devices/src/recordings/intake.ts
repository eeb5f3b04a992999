import type { Device, DeviceLine } from "@backplane/contract/devices";
import type { KeepingModel } from "../model/model.ts";
import { type ControlEvent, type DeviceChange, writtenLine } from "./channels.ts";
import type { Memory } from "./memory.ts";

/** Lines, control events and changes that wait to be written. */
const MAX_WAITING = 20_000;

/** What a file gets besides samples. */
type Waiting = { tMs: number; channel: "devices" | "lines" | "control"; data: object };

/** Lines, control events and changes of devices, those of the past too, until they are written. */
export function openIntake(
  { memory, model, fromMs }: { memory: Memory; model: Pick<KeepingModel, "on">; fromMs: number },
  isWanted: (device: string) => boolean,
  on: { change(device: Device): void; line(line: DeviceLine): void; control(event: ControlEvent): void },
) {
  let waiting: Waiting[] = [];
  const wait = (tMs: number, channel: Waiting["channel"], data: object) => {
    if (waiting.length < MAX_WAITING) waiting.push({ tMs, channel, data });
  };
  const takeChange = (change: DeviceChange) => {
    if (!isWanted(change.id)) return;
    if (change.device) on.change(change.device);
    wait(change.tMs, "devices", change);
  };
  const takeLine = (line: DeviceLine) => {
    if (!isWanted(line.device)) return;
    wait(line.tMs, "lines", writtenLine(line));
    on.line(line);
  };
  const takeControl = (event: ControlEvent) => {
    wait(event.tMs, "control", event);
    on.control(event);
  };
  memory.changes(fromMs).forEach(takeChange);
  memory.lines(fromMs).forEach(takeLine);
  memory.controls(fromMs).forEach(takeControl);
  const stops = [memory.onChange(takeChange), model.on("line", takeLine), memory.onControl(takeControl)];
  return {
    /** Those before this time, in the order of time. */
    take(untilMs: number): Waiting[] {
      const taken = waiting.filter(({ tMs }) => tMs < untilMs).sort((a, b) => a.tMs - b.tMs);
      waiting = waiting.filter(({ tMs }) => tMs >= untilMs);
      return taken;
    },
    close(): void {
      for (const stop of stops) stop();
    },
  };
}

import type { Clock } from "@backplane/kit/clock";
import { redacted } from "../authority/lines.ts";
import { nameOf } from "../authority/rules.ts";
import type { Control } from "../services.ts";
import type { Memory } from "./memory.ts";

/** The same control; what it was told and what was answered is remembered for recordings. */
export function recordedControl(control: Control, memory: Pick<Memory, "addControl">, now: Clock): Control {
  return {
    ...control,
    async command(target, command, actor, onAccepted) {
      const ack = await control.command(target, command, actor, onAccepted);
      const { device, capability } = target;
      memory.addControl({
        ...{ tMs: now(), level: "debug", text: `${nameOf(actor)}: ${device} ${command.name}`, type: "command" },
        ...{ by: nameOf(actor), device, capability, name: command.name, params: redacted(command.params) },
        ack: { ...ack },
      });
      return ack;
    },
    async stop(by) {
      const tMs = now();
      const answer = await control.stop(by);
      const text = `${nameOf(by)} stopped all devices.`;
      memory.addControl({ tMs, level: "debug", text, type: "stop", by: nameOf(by), devices: { ...answer.devices } });
      return answer;
    },
  };
}

import { randomUUID } from "node:crypto";
import { type Ack, DEVICES_LIMITS, type StopAnswer } from "@backplane/contract/devices";
import type { JsonValue } from "@backplane/kit/bus";
import type { SharedControl } from "../services.ts";
import { type Call, noAnswer } from "./wire.ts";

/** Stopping is repeated until every device has answered. */
const STOP_MS = 10_000;
const COMMAND_MS = 2 * DEVICES_LIMITS.ackMs;
const UNREACHED = "The instance that holds this device did not answer. Try again.";

type Parts = Pick<SharedControl, "stopped" | "onStopped"> & {
  call(call: Call, timeoutMs?: number): Promise<JsonValue>;
  /** Commands that wait to be accepted, by the id of their call. */
  accepted: Map<string, () => void>;
};

/** The control of devices that another instance holds. What it does not answer was not done, as far as anybody knows. */
export function createForwardedControl({ call, accepted, stopped, onStopped }: Parts): SharedControl {
  const forward = async <Answer>(message: Call, timeoutMs?: number): Promise<Answer | undefined> => {
    try {
      return (await call(message, timeoutMs)) as Answer;
    } catch {
      return undefined;
    }
  };
  const acked = async (message: Call, timeoutMs?: number): Promise<Ack> =>
    (await forward<Ack>(message, timeoutMs)) ?? noAnswer(UNREACHED);

  return {
    stopped,
    onStopped,
    take: (device, actor, { takeOver }) => acked({ op: "take", device, actor, takeOver }, COMMAND_MS),
    renew: (device, actor) => acked({ op: "renew", device, actor }),
    arm: (device, actor) => acked({ op: "arm", device, actor }),
    disarm: (device, actor) => acked({ op: "disarm", device, actor }, COMMAND_MS),
    press: (device, actor) => void forward({ op: "press", device, actor }),
    async release(device, actor) {
      await forward({ op: "release", device, actor }, COMMAND_MS);
    },
    async leave(actor, device) {
      await forward({ op: "leave", actor, ...(device === undefined ? {} : { device }) }, COMMAND_MS);
    },
    async command({ device, capability }, { name, params }, actor, onAccepted) {
      const id = randomUUID();
      if (onAccepted) accepted.set(id, onAccepted);
      try {
        return await acked({ op: "command", call: id, device, capability, name, params, actor }, COMMAND_MS);
      } finally {
        accepted.delete(id);
      }
    },
    async stop(actor) {
      // Not answered with silence: whoever stops must know that it did not get through.
      return (await call({ op: "stop", actor }, STOP_MS)) as unknown as StopAnswer;
    },
    clear: (actor) => acked({ op: "clear", actor }),
  };
}

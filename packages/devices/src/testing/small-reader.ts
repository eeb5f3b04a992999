import { type Ack, type AckCode, type Capability, DEVICES_LIMITS, type Device } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import type { MqttClient } from "mqtt";
import type { DeviceCommand, Reader } from "../services.ts";
import type { createSmallModel } from "./small-model.ts";

const SOURCE = "small";

/**
 * The smallest convention that has all of it, over a real broker: `<device>/$state`, `<device>/$description`,
 * `<device>/<capability>/set` with `{id, name, params}`, answered at `<device>/<capability>/ack`.
 */
export async function openSmallReader(
  hub: MqttClient,
  model: ReturnType<typeof createSmallModel>,
  ackMs: number = DEVICES_LIMITS.ackMs,
): Promise<Pick<Reader, "command" | "stop">> {
  const waiting = new Map<string, { end(answer: { ok: boolean; code?: AckCode }): void; answer: Promise<Ack> }>();
  let stops = 0;

  hub.on("message", (topic, payload) => {
    const [device = "", part = "", last] = topic.split("/");
    const text = payload.toString();
    if (part === "$state") model.state(device, text as Device["state"]);
    else if (part === "$description") {
      const said = JSON.parse(text) as { name: string; capabilities: Capability[] };
      model.declare(SOURCE, { id: device, ...said });
    } else if (last === "ack") {
      const { id, ...answer } = JSON.parse(text) as { id: string; ok: boolean; code?: AckCode };
      waiting.get(id)?.end(answer);
    }
  });
  await hub.subscribeAsync("#");

  function send(device: string, capability: string, command: DeviceCommand, qos: 0 | 1, onAccepted?: () => void) {
    hub.publish(`${device}/${capability}/set`, JSON.stringify(command), { qos }, () => onAccepted?.());
    const known = waiting.get(command.id);
    if (known) return known.answer;
    const startMs = performance.now();
    const { promise, resolve } = Promise.withResolvers<Ack>();
    const end = (answer: { ok: boolean; code?: AckCode }) => {
      clearTimeout(timer);
      waiting.delete(command.id);
      resolve({ ...answer, tookMs: performance.now() - startMs });
    };
    const timer = setTimeout(() => end({ ok: false, code: "no-answer" }), ackMs);
    waiting.set(command.id, { end, answer: promise });
    return promise;
  }

  return {
    command: async (device, capability, command, onAccepted) => send(device, capability, command, 0, onAccepted),
    async stop(device) {
      const moving = (model.device(device)?.capabilities ?? []).filter(({ commands }) =>
        Object.values(commands).some(({ effect }) => effect === "moves"),
      );
      const acks = await Promise.all(
        moving.map(({ id }) => {
          stops += 1;
          return send(device, id, { id: `stop-${stops}`, name: "idle", params: {} as JsonObject }, 1);
        }),
      );
      return acks.find(({ ok }) => !ok) ?? { ok: true, tookMs: 0 };
    },
  };
}

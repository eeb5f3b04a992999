import { type Ack, type Capability, DEVICES_LIMITS } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import type { CreateReader } from "../../services.ts";
import { createIdentities, type Identity } from "../identities.ts";
import { numberOf, own } from "../json.ts";
import { createOrders, type Order } from "../orders.ts";
import { toId } from "../units.ts";
import { refused } from "../waiting.ts";

const FULL = 255;
const LED: Capability = {
  id: "led",
  kind: "led",
  fields: {
    on: { datatype: "boolean" },
    brightness_pct: { datatype: "number", unit: "%", min: 0, max: 100 },
    rgb: { datatype: "list" },
  },
  commands: {
    set: {
      effect: "changes",
      params: {
        type: "object",
        properties: {
          on: { type: "boolean" },
          brightness_pct: { type: "number", minimum: 0, maximum: 100 },
          rgb: { type: "array", items: { type: "integer", minimum: 0, maximum: 255 }, minItems: 3, maxItems: 3 },
        },
        additionalProperties: false,
      },
    },
  },
};

/** `/g` is its brightness, 0 if it is off; `/c` its colour. Undefined: it cannot be read. Pure. */
function readWled(part: string, text: string): JsonObject | undefined {
  if (part === "g" && /^\d{1,3}$/.test(text) && Number(text) <= FULL) {
    const brightness = Number(text);
    return { on: brightness > 0, ...(brightness > 0 ? { brightness_pct: Math.round((brightness * 100) / FULL) } : {}) };
  }
  const [, ...rgb] = (part === "c" && /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})(?:[0-9a-f]{2})?$/i.exec(text)) || [];
  return rgb.length === 3 ? { rgb: rgb.map((two) => Number.parseInt(two, 16)) } : undefined;
}

/** Its JSON API over MQTT. */
function writeWled(topic: string, params: JsonObject): Order {
  const on = own(params, "on") !== false;
  const brightness = numberOf(own(params, "brightness_pct"));
  const rgb = own(params, "rgb");
  const message = {
    on,
    ...(brightness === undefined ? {} : { bri: Math.round((brightness * FULL) / 100) }),
    ...(Array.isArray(rgb) ? { seg: [{ col: [rgb] }] } : {}),
  };
  const expected = {
    on,
    ...(brightness === undefined ? {} : { brightness_pct: brightness }),
    ...(Array.isArray(rgb) ? { rgb } : {}),
  };
  return { messages: [{ topic: `${topic}/api`, payload: JSON.stringify(message) }], expected };
}

/** WLED announces nothing: a strip is there when it speaks. */
export const createWledReader: CreateReader = ({ ground, send, now }) => {
  const identities = createIdentities(ground, "wled");
  const orders = createOrders(send, now);
  const strips = new Map<string, { topic: string; identity: Identity }>();
  const byId = new Map<string, { topic: string; identity: Identity }>();

  function stripOf(mac: string) {
    const before = strips.get(mac);
    const id = toId(`wled-${mac}`);
    if (before || id === undefined || strips.size >= DEVICES_LIMITS.maxDevices) return before;
    const identity = identities.declare({ id, name: `WLED ${mac.slice(-6)}`, maker: "WLED", capabilities: [LED] });
    if (!identity) return undefined;
    const strip = { topic: `wled/${mac}`, identity };
    strips.set(mac, strip);
    byId.set(identity.id, strip);
    ground.state(identity.id, "ready");
    return strip;
  }

  return {
    source: "wled",
    filters: ["wled/+/g", "wled/+/c", "wled/+/status"],
    take({ topic, payload, isRetained }) {
      const [, mac, part] = /^wled\/([\w-]{1,64})\/(g|c|status)$/.exec(topic) ?? [];
      const strip = mac === undefined ? undefined : stripOf(mac);
      if (!strip || part === undefined) return false;
      const { id } = strip.identity;
      const text = payload.toString();
      const values = readWled(part, text);
      if (part === "status") ground.state(id, text === "offline" ? "lost" : "ready");
      else if (!values) ground.refuse(id, `${part} cannot be read`);
      else {
        ground[isRetained ? "recall" : "sample"](id, LED.id, values);
        if (!isRetained) orders.told(id, values);
      }
      return true;
    },
    async command(device, capability, { name, params }, onAccepted): Promise<Ack> {
      const strip = byId.get(device);
      if (!strip) return refused("device-lost", "There is no such device.");
      if (strip.identity.isSecond) return refused("denied", "Another device has the same id, and gets the commands.");
      if (capability !== LED.id || name !== "set")
        return refused("unsupported", `${capability} has no command ${name}.`);
      return orders.send(device, writeWled(strip.topic, params), { onAccepted, isToldBack: true });
    },
    // Lamps keep their state when everything is stopped.
    stop: async () => ({ ok: true, tookMs: 0 }),
    close: orders.close,
  };
};

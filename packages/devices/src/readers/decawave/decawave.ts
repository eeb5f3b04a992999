import { type Ack, type Capability, DEVICES_LIMITS, type Field } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import type { CreateReader } from "../../services.ts";
import { createIdentities } from "../identities.ts";
import { isObject, numberOf, own, readObject, textOf } from "../json.ts";
import { toId } from "../units.ts";
import { refused } from "../waiting.ts";

const MAX_ANCHORS = 64;
/** Anchors stay where they are: every so many positions say where that is. */
const ANCHORS_EVERY = 50;

const metres: Field = { datatype: "number", unit: "m" };
const TAG: Capability = {
  ...{ id: "position", kind: "ultra-wideband", name: "Position" },
  fields: {
    ...{ x_m: metres, y_m: metres, z_m: metres, anchors: { datatype: "list" } },
    quality: { datatype: "number", unit: "%", min: 0, max: 100 },
  },
  commands: {},
};

type Place = { x_m: number; y_m: number; z_m: number; quality: number | undefined };

/** Undefined: the network does not know where it is, which it says as "NaN". */
function readPlace(position: unknown): Place | undefined {
  const [x, y, z] = ["x", "y", "z"].map((axis) => numberOf(own(position, axis)));
  if (x === undefined || y === undefined || z === undefined) return undefined;
  return { x_m: x, y_m: y, z_m: z, quality: numberOf(own(position, "quality")) };
}

type Node = { label: string | undefined; isAnchor: boolean; anchor: Place | undefined };

function readConfig(message: JsonObject): Node | undefined {
  const config = own(message, "configuration");
  const type = textOf(own(config, "nodeType"));
  if (!isObject(config) || (type !== "TAG" && type !== "ANCHOR")) return undefined;
  const anchor = type === "ANCHOR" ? readPlace(own(own(config, "anchor"), "position")) : undefined;
  return { label: textOf(own(config, "label")), isAnchor: type === "ANCHOR", anchor };
}

type Tag = { device: string; untilAnchors: number; label: string | undefined };

/** The gateway of Decawave (now Qorvo) for DWM1001 networks: tags are devices; anchors are where they are measured from. */
export const createDecawaveReader: CreateReader = ({ ground }) => {
  const identities = createIdentities(ground, "decawave");
  const anchors = new Map<string, JsonObject>();
  const tags = new Map<string, Tag>();

  function tagOf(node: string, label?: string): Tag | undefined {
    const before = tags.get(node);
    const id = toId(`dwm-${node}`);
    if (id === undefined || (!before && tags.size >= DEVICES_LIMITS.maxDevices)) return undefined;
    if (before && (label === undefined || before.label === label)) return before;
    const about = { id, name: label ?? `Tag ${node}`, maker: "Decawave", model: "DWM1001", capabilities: [TAG] };
    const identity = identities.declare(about);
    if (!identity) return undefined;
    const tag = { device: identity.id, untilAnchors: 0, label };
    tags.set(node, tag);
    ground.state(tag.device, "ready");
    return tag;
  }

  function configure(node: string, config: Node): void {
    if (!config.isAnchor) return void tagOf(node, config.label);
    if (!config.anchor || (!anchors.has(node) && anchors.size >= MAX_ANCHORS)) return;
    const { x_m, y_m, z_m } = config.anchor;
    anchors.set(node, { id: config.label ?? node, x_m, y_m, z_m });
    for (const tag of tags.values()) tag.untilAnchors = 0;
  }

  function locate(node: string, message: JsonObject, isRetained: boolean): void {
    const tag = anchors.has(node) ? undefined : tagOf(node);
    if (!tag) return;
    const position = own(message, "position");
    if (!isObject(position)) {
      ground.refuse(tag.device, "its location has no position");
      return;
    }
    const place = readPlace(position);
    tag.untilAnchors -= 1;
    const isAnchored = tag.untilAnchors < 0 && anchors.size > 0;
    if (isAnchored) tag.untilAnchors = ANCHORS_EVERY;
    const { x_m = null, y_m = null, z_m = null, quality = null } = place ?? {};
    ground[isRetained ? "recall" : "sample"](tag.device, TAG.id, {
      ...{ x_m, y_m, z_m, quality },
      ...(isAnchored ? { anchors: [...anchors.values()] } : {}),
    });
  }

  return {
    source: "decawave",
    filters: ["dwm/node/+/uplink/config", "dwm/node/+/uplink/status", "dwm/node/+/uplink/location"],
    take({ topic, payload, isRetained }) {
      const [, node, part] = /^dwm\/node\/([\da-zA-Z]{1,32})\/uplink\/(config|status|location)$/.exec(topic) ?? [];
      if (node === undefined) return false;
      const read = readObject(payload);
      const tag = tags.get(node);
      if (!read.ok) {
        if (tag) ground.refuse(tag.device, `${part}: ${read.why}`);
        return true;
      }
      if (part === "location") locate(node, read.value, isRetained);
      else if (part === "status" && tag)
        ground.state(tag.device, own(read.value, "present") === false ? "lost" : "ready");
      else if (part === "config") {
        const config = readConfig(read.value);
        if (config) configure(node, config);
        else if (tag) ground.refuse(tag.device, "its configuration cannot be read");
      }
      return true;
    },
    command: async (): Promise<Ack> => refused("unsupported", "Tags have no commands."),
    stop: async () => ({ ok: true, tookMs: 0 }),
    close() {},
  };
};

import { DEVICES_LIMITS, type DevicesPageMessage } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import { jsonFields } from "@backplane/kit/json-fields";
import { isId, isPlainJson } from "../model/description.ts";

const MAX_RATE_HZ = 60;
const { maxFields, maxMessageBytes, keptMs } = DEVICES_LIMITS;

type Fields = Record<string, unknown>;

const isNumber = (value: unknown): value is number => Number.isFinite(value);
const isRequestId = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

const MAX_BASE64 = Math.ceil(DEVICES_LIMITS.maxSerialBytes / 3) * 4;
const isBase64 = (value: unknown): value is string =>
  typeof value === "string" && value.length <= MAX_BASE64 && /^[A-Za-z0-9+/]*={0,2}$/.test(value);

/** A page's message with the fields of its type and no others. Undefined: it is not a valid message. */
export function readPageMessage(text: string): DevicesPageMessage | undefined {
  const fields = jsonFields(text);
  if (!fields) return undefined;
  const { type, id, device } = fields;
  switch (type) {
    case "hello":
    case "renew":
      return typeof fields.ticket === "string" ? { type, ticket: fields.ticket } : undefined;
    case "visible":
      return typeof fields.visible === "boolean" ? { type, visible: fields.visible } : undefined;
    case "lines":
      return typeof fields.on === "boolean" ? { type, on: fields.on } : undefined;
    case "subscribe":
      return readWant(fields);
    case "unsubscribe":
    case "stop":
    case "clear":
    case "live":
      return isRequestId(id) ? { type, id } : undefined;
    case "take":
      return isRequestId(id) && isId(device) ? { type, id, device, takeOver: fields.takeOver === true } : undefined;
    case "arm":
    case "disarm":
      return isRequestId(id) && isId(device) ? { type, id, device } : undefined;
    case "renew-lease":
    case "leave":
    case "press":
    case "release":
      return isId(device) ? { type, device } : undefined;
    case "command":
      return readCommand(fields);
    case "replay":
      return readReplay(fields);
    case "serial-open":
      return isRequestId(id) && isId(fields.kind) ? { type, id, kind: fields.kind } : undefined;
    case "serial":
      return isRequestId(fields.port) && isBase64(fields.data)
        ? { type, port: fields.port, data: fields.data }
        : undefined;
    case "serial-close":
      return isRequestId(fields.port) ? { type, port: fields.port } : undefined;
    default:
      return undefined;
  }
}

function readWant(fields: Fields): DevicesPageMessage | undefined {
  const { id, device, capability, rateHz, historyMs, sinceMs } = fields;
  if (!isRequestId(id) || !isId(device) || !isId(capability)) return undefined;
  const names = fields.fields;
  if (names !== undefined && !(Array.isArray(names) && names.length <= maxFields && names.every(isId)))
    return undefined;
  return {
    ...{ type: "subscribe", id, device, capability },
    ...(names === undefined ? {} : { fields: names }),
    ...(isNumber(rateHz) && rateHz > 0 && rateHz < MAX_RATE_HZ ? { rateHz } : {}),
    ...(isNumber(historyMs) ? { historyMs: Math.min(keptMs, Math.max(0, historyMs)) } : {}),
    ...(isNumber(sinceMs) ? { sinceMs } : {}),
  };
}

function readReplay({ id, recording, atMs, speed, loop }: Fields): DevicesPageMessage | undefined {
  if (!isRequestId(id)) return undefined;
  const isRecording = recording === undefined || recording === null || isId(recording);
  const isSpeed = speed === undefined || (isNumber(speed) && speed >= 0);
  if (!isRecording || !isSpeed || !(atMs === undefined || isNumber(atMs))) return undefined;
  return {
    ...{ type: "replay", id },
    ...(recording === undefined ? {} : { recording }),
    ...(atMs === undefined ? {} : { atMs }),
    ...(speed === undefined ? {} : { speed }),
    ...(typeof loop === "boolean" ? { loop } : {}),
  };
}

function readCommand({ id, device, capability, name, params = {} }: Fields): DevicesPageMessage | undefined {
  if (!isRequestId(id) || !isId(device) || !isId(capability) || !isId(name)) return undefined;
  const isObject = typeof params === "object" && params !== null && !Array.isArray(params);
  if (!isObject || !isPlainJson(params, maxMessageBytes)) return undefined;
  return { type: "command", id, device, capability, name, params: params as JsonObject };
}

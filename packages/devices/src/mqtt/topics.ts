import { DEVICES_LIMITS } from "@backplane/contract/devices";

/** Where devices of our own are: Homie 5, in its default domain. */
const HOMIE = "homie/5/";
/** Messages from a controller to all devices. */
const BROADCAST = "$broadcast";

/** The rights of a key. `device` null: it becomes the device whose topics it first uses. `isViewer`: it listens to all. */
export type TopicRights = {
  readonly device: string | null;
  readonly isGateway: boolean;
  readonly isViewer?: boolean;
};

const DEVICE_ID = /^[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,63}$/;

/** The Homie device that a topic or filter is about; undefined: none, or not exactly one. */
export function homieDevice(topic: string): string | undefined {
  if (!topic.startsWith(HOMIE)) return undefined;
  const [id = "", ...rest] = topic.slice(HOMIE.length).split("/");
  return rest.length > 0 && DEVICE_ID.test(id) ? id : undefined;
}

const isBroadcast = (filter: string): boolean => filter.startsWith(`${HOMIE}${BROADCAST}/`);

/** `/set` of a Homie property is a command, and only the hub sends those: a key does not go around leases and limits. */
const isHomieCommand = (topic: string): boolean => topic.startsWith(HOMIE) && topic.endsWith("/set");

/** A command must not wait for a device: what is retained would be carried out whenever it connects. */
const isCommand = (topic: string): boolean =>
  topic.endsWith("/set") || /(?:^|\/)cmnd\//.test(topic) || /^wled\/[^/]+(?:\/(?:api|col))?$/.test(topic);

export type Verdict = "yes" | "no" | "drop";

export function mayPublish(key: TopicRights, topic: string, isRetained: boolean): Verdict {
  if (key.isViewer || topic.length > DEVICES_LIMITS.maxTopicLength || topic.startsWith("$")) return "no";
  const device = homieDevice(topic);
  if (!key.isGateway && (device === undefined || (key.device !== null && key.device !== device))) return "no";
  if (isHomieCommand(topic) || (isRetained && isCommand(topic))) return "drop";
  return "yes";
}

export function maySubscribe(key: TopicRights, filter: string): boolean {
  if (filter.length > DEVICES_LIMITS.maxTopicLength || filter.startsWith("$")) return false;
  if (key.isGateway || key.isViewer || isBroadcast(filter)) return true;
  const device = homieDevice(filter);
  return device !== undefined && (key.device === null || key.device === device);
}

/** Whether a topic matches a filter (MQTT 3.1.1, section 4.7). */
export function matches(filter: string, topic: string): boolean {
  if (filter === topic) return true;
  if (topic.startsWith("$") && /^[#+]/.test(filter)) return false;
  const wanted = filter.split("/");
  const levels = topic.split("/");
  for (const [index, level] of wanted.entries()) {
    if (level === "#") return true;
    if (index >= levels.length || (level !== "+" && level !== levels[index])) return false;
  }
  return wanted.length === levels.length;
}

import { type Ack, DEVICES_LIMITS, type Device } from "@backplane/contract/devices";
import {
  type JsonData,
  type JsonObject,
  mayRead,
  PANEL_PACKAGE_LIMITS,
  type PackageClock,
  type PackageControl,
  type PackageDevice,
  type PackageHold,
  type PackagePanelState,
  type PackageStatus,
  type PackageTheme,
  type PackageToPage,
  type PackageWant,
  type PageToPackage,
  type PanelManifest,
  type PanelWants,
} from "@backplane/contract/panels";
import { browserTimer, type SetTimer } from "../../live/environment.ts";
import type { PanelContext } from "../../panel.ts";
import { isFileWanted } from "./file-wants.ts";
import type { PackagePort } from "./package-port.ts";

/** What the page draws for the panel, outside of its frame. */
export type Chrome = {
  /** The device whose control is shown. */
  choose(device: string | undefined): void;
  /** The button that somebody holds. */
  hold(hold: PackageHold | undefined): void;
  /** Whether somebody holds it now. */
  isHeld(): boolean;
};

export type PackageFiles = {
  list(): Promise<string[]>;
  read(path: string): Promise<string>;
  write(path: string, text: string): Promise<void>;
};

type Options = {
  context: PanelContext;
  panel: Pick<PanelManifest, "wants" | "title">;
  /** The devices that somebody has chosen for it; null: every one that fits. */
  chosenDevices: readonly string[] | null;
  port: Pick<PackagePort, "post" | "postUnlessBehind">;
  chrome: Chrome;
  files: PackageFiles;
  theme(): PackageTheme;
  log(message: string): Promise<void>;
  /** Saves a file on the person's computer. */
  save(name: string, text: string): void;
  setTimer?: SetTimer;
};

const { maxSubscriptions, maxPendingCalls, maxMessageLength, toolTimeoutMs, maxToolResultLength } =
  PANEL_PACKAGE_LIMITS;
const MAX_TITLE_LENGTH = 120;
const MAX_LOG_LENGTH = 1_000;
const MAX_LABEL_LENGTH = 40;
const MAX_FILE_CHARACTERS = 500_000;
const MAX_NAME_LENGTH = 100;
/** What a message can carry. */
const MAX_SAVED = maxMessageLength;
const PNG_URL = "data:image/png;base64,";
const MAX_HISTORY_MS = 3_600_000;

class Refused extends Error {}

/** A device as the panel may see it; undefined: it has nothing that the panel may see. */
function visibleDevice({ lease, ...device }: Device, wants: PanelWants): PackageDevice | undefined {
  const capabilities = device.capabilities.filter(({ kind }) => mayRead(wants, kind));
  if (capabilities.length === 0) return undefined;
  if (!lease) return { ...device, capabilities };
  const { tab: _, ...holder } = lease.holder;
  return { ...device, lease: { ...lease, holder }, capabilities };
}

/**
 * What a panel may do: every call is checked here against what a person has allowed. Nothing of the page, of other panels or
 * of devices is reachable in another way.
 */
export function createBridge(options: Options) {
  const { context, panel, chosenDevices, port, chrome, files, theme, log, save, setTimer = browserTimer } = options;
  const { wants } = panel;
  const { devices, clock } = context;
  const subscriptions = new Map<number, () => void>();
  /** Subscriptions of which a batch was left out, with what begins them again: their history has it. */
  const missed = new Map<number, () => void>();
  const asked = new Map<number, { resolve(value: JsonData): void; reject(error: Error): void }>();
  let held: PackageHold | undefined;
  let chosen: string | undefined;
  let stopControl = () => {};
  let lastAsked = 0;
  let pending = 0;
  let stops: (() => void)[] = [];

  const own = (): JsonObject => ((context.state() as PackagePanelState).own ?? {}) as JsonObject;
  const visible = (): PackageDevice[] =>
    devices
      .list()
      .filter(({ id }) => chosenDevices === null || chosenDevices.includes(id))
      .flatMap((device) => visibleDevice(device, wants) ?? []);
  const clockNow = (): PackageClock => {
    const { replay } = devices.status();
    const { speed, endMs } = replay ?? { speed: 1, endMs: null };
    return { mode: clock.mode(), nowMs: clock.nowMs(), speed, endMs };
  };
  const statusNow = (): PackageStatus => {
    const { connection, detail, mayControl, stopped } = devices.status();
    return { connection, detail, mayControl, stopped };
  };

  /** The capability, if the panel may see it. */
  function find(device: unknown, capability: unknown) {
    const found = visible()
      .find(({ id }) => id === device)
      ?.capabilities.find(({ id }) => id === capability);
    if (!found) throw new Refused("There is no such capability of a device that this panel may read.");
    return found;
  }
  const controlOf = (device: string): PackageControl => {
    const { isMine, device: now, stopped } = devices.control(device).state();
    return { device, isMine, isArmed: isMine && now?.isArmed === true, isStopped: stopped !== null };
  };
  const mayControl = (kind: string): void => {
    if (!wants.control.includes(kind)) throw new Refused(`Nobody has allowed this panel to control ${kind}.`);
  };

  async function command(target: unknown, name: unknown, params: unknown): Promise<Ack> {
    const { device, capability } = expectObject(target, "The target");
    const found = find(device, capability);
    mayControl(found.kind);
    const what = expectText(name, "The name of a command", 64);
    const effect = found.commands[what]?.effect;
    // What moves goes on only while somebody holds the page's own button: a panel cannot hold it for them.
    const isMoving = effect === "moves" && !(chrome.isHeld() && held?.device === device);
    if (isMoving) {
      const detail = "What moves is sent while somebody holds the button below the panel. Use hold.";
      return { ok: false, code: "not-held", detail, tookMs: 0 };
    }
    return devices.command(
      { device: String(device), capability: String(capability) },
      what,
      expectObject(params, "The parameters"),
    );
  }

  function subscribe(subscription: unknown, given: unknown): void {
    if (!Number.isSafeInteger(subscription)) throw new Refused("A subscription has a number.");
    if (subscriptions.size >= maxSubscriptions)
      throw new Refused(`A panel has at most ${maxSubscriptions} subscriptions.`);
    const id = subscription as number;
    if (subscriptions.has(id)) throw new Refused("There is a subscription with this number.");
    const want = wantOf(expectObject(given, "What is subscribed to"));
    find(want.device, want.capability);
    const begin = () => {
      const stop = devices.subscribe(want, (batch) => {
        if (!port.postUnlessBehind({ type: "batch", subscription: id, batch })) missed.set(id, begin);
      });
      subscriptions.set(id, stop);
    };
    begin();
  }

  function choose(device: unknown): void {
    stopControl();
    stopControl = () => {};
    chosen = undefined;
    if (device !== null) {
      const found = visible().find(({ id }) => id === device);
      if (!found?.capabilities.some(({ kind }) => wants.control.includes(kind)))
        throw new Refused("There is no such device that this panel may control.");
      chosen = found.id;
      const { id } = found;
      const tell = () => port.post({ type: "control", control: controlOf(id) });
      stopControl = devices.control(id).onState(tell);
      tell();
    } else port.post({ type: "control", control: null });
    chrome.choose(chosen);
  }

  function hold(given: unknown): void {
    if (given === null) held = undefined;
    else {
      const { label, device, capability, name, params } = expectObject(given, "What is held");
      mayControl(find(device, capability).kind);
      if (device !== chosen) throw new Refused("Choose the device first.");
      held = {
        label: expectText(label, "The label", MAX_LABEL_LENGTH),
        ...{ device: String(device), capability: String(capability) },
        name: expectText(name, "The name of a command", 64),
        params: expectObject(params, "The parameters"),
      };
    }
    chrome.hold(held);
  }

  const mayUse = (access: "read" | "write", path: unknown): string => {
    const text = expectText(path, "The path", 500);
    if (!isFileWanted(wants.files, access, text))
      throw new Refused(`Nobody has allowed this panel to ${access} ${text}.`);
    return text;
  };

  const CALLS: { readonly [name: string]: (...args: JsonData[]) => unknown } = {
    async setState(patch) {
      const next = { ...own(), ...expectObject(patch, "The state") };
      await context.setState({ own: Object.fromEntries(Object.entries(next).filter(([, value]) => value !== null)) });
    },
    setTitle: (title) => context.setTitle(expectText(title, "The title", MAX_TITLE_LENGTH)),
    command,
    subscribe,
    unsubscribe(id) {
      subscriptions.get(id as number)?.();
      subscriptions.delete(id as number);
      missed.delete(id as number);
    },
    async history(target, query) {
      const { device, capability } = expectObject(target, "The target");
      find(device, capability);
      const of = { device: String(device), capability: String(capability) };
      return (await devices.history(of, historyQueryOf(expectObject(query, "The query")))) ?? null;
    },
    choose,
    hold,
    listFiles: async () => (await files.list()).filter((path) => isFileWanted(wants.files, "read", path)),
    readFile: async (path) => files.read(mayUse("read", path)),
    async writeFile(path, text) {
      await files.write(mayUse("write", path), expectText(text, "The content", MAX_FILE_CHARACTERS));
    },
    save: (name, text) =>
      save(expectText(name, "The name", MAX_NAME_LENGTH), expectText(text, "The content", MAX_SAVED)),
    log: (message) => log(expectText(message, "The line", MAX_LOG_LENGTH)),
  };

  async function answer(id: number, name: string, args: JsonData[]): Promise<void> {
    if (pending >= maxPendingCalls) {
      // At once: what a flood asks for must not cost the page more than the flood itself.
      port.post({ type: "refused", id, error: `At most ${maxPendingCalls} calls wait for an answer at a time.` });
      return;
    }
    pending += 1;
    try {
      const run = Object.hasOwn(CALLS, name) ? CALLS[name] : undefined;
      if (!run) throw new Refused("The page has no such function.");
      port.post({ type: "answer", id, value: ((await run(...args)) ?? null) as JsonData });
    } catch (error) {
      port.post({ type: "refused", id, error: error instanceof Error ? error.message : "It failed." });
    } finally {
      pending -= 1;
    }
  }

  function ask(question: (id: number) => PageToPackage): Promise<JsonData> {
    const { promise, resolve, reject } = Promise.withResolvers<JsonData>();
    lastAsked += 1;
    const id = lastAsked;
    const cancel = setTimer(() => {
      asked.delete(id);
      reject(new Error(`The panel did not answer within ${toolTimeoutMs / 1_000} s.`));
    }, toolTimeoutMs);
    asked.set(id, { resolve, reject });
    port.post(question(id));
    return promise.finally(cancel);
  }

  function begin(): void {
    end();
    const theirs = { state: own(), theme: theme(), devices: visible(), status: statusNow(), clock: clockNow() };
    port.post({ type: "hello", tabId: context.tabId, ...theirs });
    let shown = JSON.stringify(theirs.state);
    let { status } = theirs;
    stops = [
      context.onState(() => {
        const next = JSON.stringify(own());
        if (next !== shown) port.post({ type: "state", state: own() });
        shown = next;
      }),
      devices.onList(() => port.postUnlessBehind({ type: "devices", devices: visible() })),
      devices.onStatus(() => {
        const next = statusNow();
        if (JSON.stringify(next) !== JSON.stringify(status)) port.post({ type: "status", status: next });
        status = next;
      }),
      clock.onChange(() => port.post({ type: "clock", clock: clockNow() })),
    ];
  }

  function end(): void {
    for (const stop of [...stops, stopControl, ...subscriptions.values()]) stop();
    stops = [];
    stopControl = () => {};
    subscriptions.clear();
    missed.clear();
    held = undefined;
    chosen = undefined;
    chrome.choose(undefined);
    chrome.hold(undefined);
  }

  return {
    receive(message: Exclude<PackageToPage, { type: "pong" | "failed" | "eval" }>): void {
      if (message.type === "ready") begin();
      else if (message.type === "call") void answer(message.id, message.name, message.args);
      else {
        const waiting = asked.get(message.id);
        asked.delete(message.id);
        if (message.type === "refusal") waiting?.reject(new Error(message.error.slice(0, MAX_LOG_LENGTH)));
        else waiting?.resolve(message.value ?? null);
      }
    },
    /** The panel was behind, and things were left out meanwhile. */
    caughtUp(): void {
      port.post({ type: "devices", devices: visible() });
      for (const [id, begin] of [...missed]) {
        subscriptions.get(id)?.();
        begin();
      }
      missed.clear();
    },
    themeChanged: () => port.post({ type: "theme", theme: theme() }),
    heldChanged: (isHeld: boolean) => port.post({ type: "held", isHeld }),
    /** Rejects when the panel refuses, or does not answer in time. */
    async callTool(name: string, input: JsonObject): Promise<JsonData> {
      if (!wants.tools.includes(name)) throw new Error(`The panel has no tool ${name}.`);
      const result = await ask((id) => ({ type: "tool", id, name, input }));
      if (JSON.stringify(result).length > maxToolResultLength) throw new Error("The answer of the tool is too long.");
      return result;
    },
    /** A picture of the panel, drawn by itself. The server takes it for a PNG only if it is one. */
    async draw(): Promise<Blob> {
      const picture = await ask((id) => ({ type: "draw", id }));
      if (typeof picture !== "string" || !picture.startsWith(PNG_URL))
        throw new Error("The panel did not draw a PNG as a data URL.");
      const bytes = Uint8Array.from(atob(picture.slice(PNG_URL.length)), (each) => each.charCodeAt(0));
      return new Blob([bytes], { type: "image/png" });
    },
    close(): void {
      end();
      for (const { reject } of asked.values()) reject(new Error("The panel was closed."));
      asked.clear();
    },
  };
}

function expectObject(value: unknown, what: string): JsonObject {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw new Refused(`${what} must be an object.`);
}

function expectText(value: unknown, what: string, maxLength: number): string {
  if (typeof value === "string" && value.length <= maxLength) return value;
  throw new Refused(`${what} must be a text of at most ${maxLength} characters.`);
}

function historyQueryOf({ fromMs, toMs, points }: JsonObject): { fromMs: number; toMs?: number; points?: number } {
  if (typeof fromMs !== "number") throw new Refused("The query must have fromMs, in milliseconds.");
  return {
    fromMs: Math.floor(fromMs),
    ...(typeof toMs === "number" ? { toMs: Math.floor(toMs) } : {}),
    ...(typeof points === "number" && points >= 1
      ? { points: Math.min(Math.floor(points), DEVICES_LIMITS.maxHistoryPoints) }
      : {}),
  };
}

function wantOf({ device, capability, fields, rateHz, historyMs }: JsonObject): PackageWant {
  const isList = Array.isArray(fields) && fields.every((field) => typeof field === "string");
  return {
    ...{ device: String(device), capability: String(capability) },
    ...(isList ? { fields: fields as string[] } : {}),
    ...(typeof rateHz === "number" && rateHz > 0 ? { rateHz } : {}),
    ...(typeof historyMs === "number" && historyMs > 0 ? { historyMs: Math.min(historyMs, MAX_HISTORY_MS) } : {}),
  };
}

// What a panel from a package and the page around it say to each other, over one port, as JSON text.
import type { Ack, Batch, Device, History, Stopped } from "../devices.ts";
import type { JsonData, JsonObject } from "./common.ts";
import type { FrameToPage, PageToFrame } from "./sandbox.ts";

/** A device, with the capabilities that the panel may read or control. Who is in control is a name, not a page. */
export type PackageDevice = Device;
/** How the page is connected to the devices, and what the person in front of it may do. */
export type PackageStatus = {
  connection: "connecting" | "open" | "lost" | "refused";
  /** Why the connection was lost or refused, if the server said so. */
  detail?: string | undefined;
  /** Whether this person may control devices, or only look. */
  mayControl: boolean;
  stopped: Stopped | null;
};
/** The time of the devices when it was sent. Speed: of a replay; 0 while it is paused. It stays at `endMs`, where a recording ends. */
export type PackageClock = { mode: "live" | "replay"; nowMs: number; speed: number; endMs: number | null };
/** Of the device that the panel has chosen to control. */
export type PackageControl = {
  device: string;
  /** Whether this page is in control. */
  isMine: boolean;
  isArmed: boolean;
  isStopped: boolean;
};
/** Colours as CSS writes them. */
export type PackageTheme = { isDark: boolean; colours: Record<string, string> };
/** What `hold` asks the page to draw: a button, and what is sent while it is held. */
export type PackageHold = {
  label: string;
  device: string;
  capability: string;
  name: string;
  params: JsonObject;
};
export type PackageBatch = Batch & { isHistory: boolean; isReset: boolean };
export type PackageWant = {
  device: string;
  capability: string;
  fields?: string[];
  rateHz?: number;
  historyMs?: number;
};

/** `points`: at most so many. */
export type PackageHistoryQuery = { fromMs: number; toMs?: number; points?: number };

/** The functions of the page that a panel may call. */
export type PackageCalls = {
  setState(patch: JsonObject): null;
  setTitle(title: string): null;
  subscribe(subscription: number, want: PackageWant): null;
  unsubscribe(subscription: number): null;
  command(target: { device: string; capability: string }, name: string, params: JsonObject): Ack;
  /** Null: there is none. */
  history(target: { device: string; capability: string }, query: PackageHistoryQuery): History | null;
  /** The page draws who controls this device, and the buttons for it. */
  choose(device: string | null): null;
  hold(hold: PackageHold | null): null;
  listFiles(): string[];
  readFile(path: string): string;
  writeFile(path: string, text: string): null;
  /** To the computer of the person who has just pressed something in the panel. */
  save(name: string, text: string): null;
  log(message: string): null;
};

export type PackageToPage =
  | { type: "ready" }
  | { type: "pong"; id: number }
  /** Something in the panel failed: for whoever writes it. */
  | { type: "failed"; text: string }
  | { type: "call"; id: number; name: string; args: JsonData[] }
  | { type: "result"; id: number; value: JsonData }
  | { type: "refusal"; id: number; error: string }
  /** What code of programs says, several at a time: what it prints must not use up the rate of the port. */
  | { type: "eval"; messages: FrameToPage[] };

export type PageToPackage =
  | {
      type: "hello";
      tabId: string;
      state: JsonObject;
      theme: PackageTheme;
      devices: PackageDevice[];
      status: PackageStatus;
      clock: PackageClock;
    }
  | { type: "ping"; id: number }
  | { type: "answer"; id: number; value: JsonData }
  | { type: "refused"; id: number; error: string }
  | { type: "state"; state: JsonObject }
  | { type: "theme"; theme: PackageTheme }
  | { type: "devices"; devices: PackageDevice[] }
  | { type: "status"; status: PackageStatus }
  | { type: "clock"; clock: PackageClock }
  | { type: "control"; control: PackageControl | null }
  | { type: "held"; isHeld: boolean }
  | { type: "batch"; subscription: number; batch: PackageBatch }
  | { type: "tool"; id: number; name: string; input: JsonObject }
  /** Answered with a picture, as a data URL. */
  | { type: "draw"; id: number }
  /** As to the frame of a sandbox. Only frames of panels that want it hear it. */
  | { type: "eval"; order: PageToFrame };

// What a panel from a package and the page around it say to each other, over one port, as JSON text.
import type { Ack, Batch, Capability, DeviceState } from "../devices.ts";
import type { JsonData, JsonObject } from "./common.ts";

/** A device, with the capabilities that the panel may read or control. */
export type PackageDevice = {
  id: string;
  name: string;
  maker?: string | undefined;
  model?: string | undefined;
  state: DeviceState;
  capabilities: Capability[];
};
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

/** The functions of the page that a panel may call. */
export type PackageCalls = {
  setState(patch: JsonObject): null;
  setTitle(title: string): null;
  subscribe(subscription: number, want: PackageWant): null;
  unsubscribe(subscription: number): null;
  command(target: { device: string; capability: string }, name: string, params: JsonObject): Ack;
  /** The page draws who controls this device, and the buttons for it. */
  choose(device: string | null): null;
  hold(hold: PackageHold | null): null;
  listFiles(): string[];
  readFile(path: string): string;
  writeFile(path: string, text: string): null;
  log(message: string): null;
};

export type PackageToPage =
  | { type: "ready" }
  | { type: "pong"; id: number }
  /** Something in the panel failed: for whoever writes it. */
  | { type: "failed"; text: string }
  | { type: "call"; id: number; name: string; args: JsonData[] }
  | { type: "result"; id: number; value: JsonData }
  | { type: "refusal"; id: number; error: string };

export type PageToPackage =
  | {
      type: "hello";
      tabId: string;
      state: JsonObject;
      theme: PackageTheme;
      devices: PackageDevice[];
      clock: { mode: "live" | "replay"; nowMs: number };
    }
  | { type: "ping"; id: number }
  | { type: "answer"; id: number; value: JsonData }
  | { type: "refused"; id: number; error: string }
  | { type: "state"; state: JsonObject }
  | { type: "theme"; theme: PackageTheme }
  | { type: "devices"; devices: PackageDevice[] }
  | { type: "clock"; clock: { mode: "live" | "replay"; nowMs: number } }
  | { type: "control"; control: PackageControl | null }
  | { type: "held"; isHeld: boolean }
  | { type: "batch"; subscription: number; batch: PackageBatch }
  | { type: "tool"; id: number; name: string; input: JsonObject };

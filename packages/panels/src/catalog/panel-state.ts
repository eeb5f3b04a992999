import { isDeepStrictEqual } from "node:util";
import { type CatalogPanel, type JsonData, type JsonObject, PANELS_LIMITS, type Tab } from "@backplane/contract/panels";
import type { FieldFault } from "@backplane/kit/problems";
import { bodyChecker } from "@backplane/kit/schemas";
import { invalidField, invalidFields } from "../problems.ts";
import { readSiteUrl } from "../site-url.ts";
import { ALL_PANELS } from "./catalog.ts";

const CHECKS = new Map(ALL_PANELS.map(({ stateSchema }) => stateSchema).map((schema) => [schema, bodyChecker(schema)]));

/** The state if a panel of this kind may have it; else 422 with pointers to the fields below `pointer`. */
export function checkState(panel: CatalogPanel, state: JsonObject, pointer = "/initialState"): JsonObject {
  const errors = faultsOf(panel, state).map((fault) => ({ ...fault, pointer: `${pointer}${fault.pointer}` }));
  if (errors.length > 0) throw invalidFields(errors);
  return state;
}

function faultsOf({ kind, stateSchema }: CatalogPanel, state: JsonObject): readonly FieldFault[] {
  const faults = CHECKS.get(stateSchema)?.(state) ?? [];
  if (faults.length > 0 || kind !== "webview" || typeof state.url !== "string") return faults;
  const site = readSiteUrl(state.url);
  return site.ok ? [] : [{ pointer: "/url", message: site.message }];
}

const { maxStateBytes, maxStateDepth } = PANELS_LIMITS;

/** Merges key by key; null removes a key. Returns the same object when nothing changes. */
export function mergeState(state: JsonObject, patch: JsonObject): JsonObject {
  expectDepth(patch, "/panelState");
  const merged = new Map(Object.entries(state));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, value);
  }
  const next = Object.fromEntries(merged);
  return isDeepStrictEqual(next, state) ? state : next;
}

/** The tab with its state merged and the program that drives it. Returns the same tab when nothing changes. */
export function patchTab(tab: Tab, patch: JsonObject, drivenBy: string | undefined): Tab {
  const panelState = expectStateSize(mergeState(tab.panelState, patch), "/panelState");
  const isNewDriver = drivenBy !== undefined && drivenBy !== tab.drivenBy;
  if (panelState === tab.panelState && !isNewDriver) return tab;
  return { ...tab, panelState, ...(isNewDriver ? { drivenBy } : {}) };
}

/** `pointer`: the field it came in. */
export function expectStateSize(state: JsonObject, pointer: string): JsonObject {
  expectDepth(state, pointer);
  if (Buffer.byteLength(JSON.stringify(state)) <= maxStateBytes) return state;
  throw invalidField(pointer, `is larger than ${maxStateBytes} bytes as JSON`);
}

/** JSON can be parsed to any depth, but comparing and serialising it is limited by the stack. */
function expectDepth(state: JsonObject, pointer: string): void {
  let level: JsonData[] = [state];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxStateDepth) throw invalidField(pointer, `is nested deeper than ${maxStateDepth} levels`);
    level = level.flatMap((value) => (typeof value === "object" && value !== null ? Object.values(value) : []));
  }
}

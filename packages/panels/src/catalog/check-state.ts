import type { CatalogPanel, JsonObject } from "@backplane/contract/panels";
import { type FieldFault, Problem } from "@backplane/kit/problems";
import { bodyChecker } from "@backplane/kit/schemas";
import { CATALOG } from "./catalog.ts";

const CHECKS = new Map(CATALOG.map(({ stateSchema }) => stateSchema).map((schema) => [schema, bodyChecker(schema)]));

/** The state, when a panel of this kind may have it; else 422, naming the field below `pointer`. */
export function checkState(panel: CatalogPanel, state: JsonObject, pointer = "/initialState"): JsonObject {
  const errors = faultsOf(panel, state).map((fault) => ({ ...fault, pointer: `${pointer}${fault.pointer}` }));
  const [first] = errors;
  if (!first) return state;
  throw new Problem("invalid-input", { detail: `${first.pointer} ${first.message}.`, errors });
}

function faultsOf({ kind, stateSchema }: CatalogPanel, state: JsonObject): readonly FieldFault[] {
  const faults = CHECKS.get(stateSchema)?.(state) ?? [];
  if (faults.length > 0 || kind !== "webview" || typeof state.url !== "string") return faults;
  const message = faultOfUrl(state.url);
  return message === undefined ? [] : [{ pointer: "/url", message }];
}

/** What a web view may load: other schemes run code or read files, and a password in an address is shown to everybody. */
function faultOfUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:")) return "must be an http or https address";
  return url.username === "" && url.password === "" ? undefined : "must not hold a user name or a password";
}

import type { NewStream } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import { Problem } from "@backplane/kit/problems";
import { bodyChecker } from "@backplane/kit/schemas";
import type { StreamAdapter } from "./kinds.ts";
import type { StoredStream } from "./store.ts";

const invalid = (pointer: string, message: string) => new Problem("invalid-input", { errors: [{ pointer, message }] });

/** Defaults are filled in; secrets are kept apart from what is shown. Throws what is wrong, by field. */
export function checkStream(
  { name, kind, settings: given = {} }: NewStream,
  adapters: readonly StreamAdapter[],
): StoredStream {
  const adapter = adapters.find((known) => known.kind === kind);
  if (!adapter) throw invalid("/kind", `must be one of ${adapters.map((known) => known.kind).join(", ")}`);
  const all: JsonObject = structuredClone(given);
  refuseUserInAddress(all.address);
  const errors = bodyChecker(adapter.settings)(all);
  if (errors.length > 0)
    throw new Problem("invalid-input", {
      errors: errors.map(({ pointer, message }) => ({ pointer: `/settings${pointer}`, message })),
    });
  if (typeof all.address === "string" && !hostOf(all.address))
    throw invalid("/settings/address", "is no address: use one such as rtsp://192.168.1.60/stream1");
  const secrets: Record<string, string> = {};
  for (const secret of secretsOf(adapter)) {
    const value = all[secret];
    delete all[secret];
    if (typeof value === "string" && value !== "") secrets[secret] = value;
  }
  return { name, kind, settings: all, secrets };
}

/** Settings that are not given stay. A password goes only to the camera for which it was given. */
export function changeStream(
  before: StoredStream,
  given: JsonObject,
  adapters: readonly StreamAdapter[],
): StoredStream {
  const { name, kind, settings, secrets } = before;
  // The key of those who push is no setting.
  const { key, ...kept } = secrets;
  const changed = checkStream({ name, kind, settings: { ...settings, ...kept, ...given } }, adapters);
  const why = whyAgain(settings.address, changed.settings.address);
  const lost = Object.keys(kept).find((secret) => why !== undefined && given[secret] === undefined);
  if (lost !== undefined) throw invalid(`/settings/${lost}`, `must be given again, because ${why}`);
  return key === undefined ? changed : { ...changed, secrets: { ...changed.secrets, key } };
}

/** Undefined: what was given for the first address may go to the second one. */
function whyAgain(before: unknown, after: unknown): string | undefined {
  if (hostOf(before) !== hostOf(after)) return "the address is that of another camera";
  return isSecure(before) && !isSecure(after) ? "everybody on the way could read it at this address" : undefined;
}

const isSecure = (address: unknown): boolean => /^(https|rtsps):/i.test(String(address));

function secretsOf({ settings }: StreamAdapter): string[] {
  const entries = Object.entries(settings.properties as Record<string, { writeOnly?: boolean }>);
  return entries.filter(([, schema]) => schema.writeOnly === true).map(([name]) => name);
}

/** An address with a password in it would be shown to everybody who sees the workspace. */
function refuseUserInAddress(address: unknown): void {
  if (typeof address !== "string" || !URL.canParse(address)) return;
  const { username, password } = new URL(address);
  if (username !== "" || password !== "")
    throw invalid("/settings/address", "must not have a user name or password: give them as user and password");
}

const hostOf = (address: unknown): string | undefined =>
  typeof address === "string" && URL.canParse(address) ? new URL(address).host : undefined;

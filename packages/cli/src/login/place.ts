import { loadSettings, readSettings, SettingsFault } from "@backplane/kit/settings";
import { badInput, type Refusal } from "../connect/refusal.ts";
import type { PlaceOptions } from "./options.ts";

type Host = Pick<NodeJS.Process, "env" | "cwd">;

/** The same address in one form, so that one Backplane has one session. What is no address is left for the sdk to refuse. */
const inOneForm = (url: string): string => (URL.canParse(url) ? new URL(url).href : url).replace(/\/+$/, "");

/** Which Backplane is meant: the option, else the settings of environment and folder. */
export function baseUrlOf(host: Host, { url }: PlaceOptions): string | Refusal {
  return url === undefined ? fromSettings(() => loadSettings(host.env, host.cwd()).settings.baseUrl) : inOneForm(url);
}

/**
 * The same for a token of the environment, without .env: whoever wrote the files of a working folder must not choose
 * where the token of whoever works in it is sent.
 */
export function baseUrlOfToken(host: Host, { url }: PlaceOptions): string | Refusal {
  return url === undefined ? fromSettings(() => readSettings(host.env, host.cwd()).baseUrl) : inOneForm(url);
}

function fromSettings(read: () => string): string | Refusal {
  try {
    return inOneForm(read());
  } catch (fault) {
    if (!(fault instanceof SettingsFault)) throw fault;
    return badInput("bad-settings", fault.message);
  }
}

import type { FoundPackage, PackageType, Status } from "@backplane/contract/registry";
import type { Tone } from "../../parts/state.tsx";
import type { ListQuery } from "../paths.ts";
import { sentenceCase } from "../words.ts";

const many: Record<PackageType, string> = { plugin: "plugins", library: "libraries", colortheme: "colour themes" };

/** What is missing, then what to do. Undefined: nothing was searched, so there is nothing at all. */
export function emptyWords({ q, type }: ListQuery): { title: string; line: string } | undefined {
  if (q !== "") {
    const what = type ? `None of the ${many[type]} matches` : "No package matches";
    return { title: `${what} “${q}”`, line: "Check the spelling, or search all types and versions." };
  }
  if (type) return { title: `No ${many[type]} yet`, line: "Other types may have what you look for." };
  return undefined;
}

export type Shown = { tone: Tone; word: string };

const fitTones = { works: "ok", "unstable-only": "warn", none: "off" } as const;
const statusTones: Record<Status, Tone> = { stable: "ok", testing: "warn", development: "warn", deprecated: "off" };

/** How a package stands to the chosen tool; without one, how stable it is. */
export function stateOf({ fit, status }: Pick<FoundPackage, "fit" | "status">): Shown {
  if (fit) return { tone: fitTones[fit.state], word: fit.words };
  return status ? { tone: statusTones[status], word: sentenceCase(status) } : { tone: "off", word: "Withdrawn" };
}

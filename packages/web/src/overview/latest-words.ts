import type { LatestEvent } from "@backplane/contract/platform";
import type { Finding } from "@backplane/contract/system";

/** A sentence in parts, of which `what` is emphasised: "mara published" "com.example.pins 2.4.0" "". */
export type EventWords = { by: string; verb: string; what: string; end: string };

const WORDS: Record<LatestEvent["kind"], { verb: string; end?: string; unknown: string }> = {
  publish: { verb: "published", unknown: "published a private package" },
  connect: { verb: "let", end: "in", unknown: "let a program in" },
  workspace: { verb: "created the workspace", unknown: "created a workspace" },
  invite: { verb: "invited", unknown: "invited somebody" },
  key: { verb: "created the key", unknown: "created a key" },
};

export function eventWords({ by, kind, what }: Pick<LatestEvent, "by" | "kind" | "what">, reader: string): EventWords {
  const { verb, end = "", unknown } = WORDS[kind];
  const who = by === reader ? "You" : by === "" ? "Somebody" : by;
  return what === "" ? { by: who, verb: unknown, what: "", end: "" } : { by: who, verb, what, end };
}

/** Something that the reader should look at, and where. */
export type Need = { tone: "warn" | "danger"; title: string; detail: string; page: string; word: string };

type Invited = { readonly owner: string; readonly repo: string };

/** Faults first, then warnings, then what others ask. */
export function needsOf(findings: readonly Finding[], invitations: readonly Invited[]): Need[] {
  const of = (state: Finding["state"], tone: Need["tone"]) =>
    findings
      .filter((finding) => finding.state === state)
      .map(({ says, cost, fix }) => ({
        tone,
        title: says,
        detail: cost ?? fix ?? "",
        page: "/system",
        word: "System",
      }));
  const invited = invitations.map(({ owner, repo }) => ({
    ...{ tone: "warn" as const, title: `${owner} shares the workspace ${repo} with you` },
    ...{ detail: "Accept or decline it.", page: "/workspaces", word: "Workspaces" },
  }));
  return [...of("fault", "danger"), ...of("warning", "warn"), ...invited];
}

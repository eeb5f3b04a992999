import { watch } from "node:fs/promises";
import { resolve } from "node:path";
import { exitCodeOf } from "@backplane/contract/problems";
import { openWorkspace, PanelsError } from "@backplane/sdk";
import { printNotes } from "../../pkg/notes.ts";
import { isRefusal, type Refusal } from "../../refusal.ts";
import { SHAPES } from "../../terminal.ts";
import { plain } from "../../text.ts";
import { type PanelFlags, type WorkspaceContext, withWorkspace } from "../with-workspace.ts";
import { checkPanel } from "./check-panel.ts";

/** Editors write several files at once, and some write one file several times. */
const QUIET_MS = 150;
const CLEAN_UP_MS = 3_000;

/** Sends the panel of a folder to a workspace as a draft, and again after every change, until Ctrl-C. */
export const devPanel = (host: NodeJS.Process, folder = ".", options: PanelFlags = {}): Promise<number> =>
  withWorkspace(host, options, async (context) => {
    const { workspace, name, out, signal, json } = context;
    const path = resolve(host.cwd(), folder);
    const first = await send(path, folder, context);
    if (first === undefined) return exitCodeOf("archive-refused");
    if (isRefusal(first)) return first;
    const { identifier, title } = first;
    await workspace.openTab({
      ...{ panelType: "package", displayName: `${title} (draft)`, reuse: true },
      initialState: { package: identifier, draft: true },
    });
    if (!json) {
      out.line(`  ${workspace.page}`);
      out.line(
        first.isAllowed ? "  It runs there." : "  Open it there, and allow what the panel wants. That holds for a day.",
      );
      out.line(`  Watching ${folder}. Ctrl-C stops, and removes the draft from ${name}.`);
    }
    try {
      for await (const _ of changesIn(path, signal)) await sendAgain(path, folder, context);
    } finally {
      await afterwards(context)
        .stopDraft(identifier)
        .catch(() => {});
    }
    return undefined;
  });

/** The same workspace, for a call after Ctrl-C. */
function afterwards({ session, name }: WorkspaceContext) {
  const [owner = "", repo = ""] = name.split("/");
  return openWorkspace({ ...session, owner, repo, signal: AbortSignal.timeout(CLEAN_UP_MS) });
}

type Sent = { identifier: string; title: string; isAllowed: boolean };

/** Undefined: it has faults, which were printed. */
async function send(path: string, folder: string, context: WorkspaceContext): Promise<Sent | Refusal | undefined> {
  const { workspace, out, answer } = context;
  await using checked = await checkPanel(path);
  if (isRefusal(checked)) return checked;
  const { panel, notes, archive } = checked;
  if (!panel) {
    answer({ notes }, () => printNotes(out, folder, notes));
    return undefined;
  }
  const draft = await workspace.sendDraft(panel.identifier, archive);
  const { identifier, sha256, allowedBy } = draft;
  answer({ identifier, sha256, allowedBy, notes }, () => {
    printNotes(out, folder, notes);
    out.line(`${out.paint("ok", SHAPES.ok)} ${plain(draft.panel.title)} is sent, ${sha256.slice(0, 8)}.`);
    if (allowedBy === null) out.line("  It wants what nobody has allowed yet.");
  });
  return { identifier, title: draft.panel.title, isAllowed: allowedBy !== null };
}

/** A fault of the panel, or of the moment, does not end the watching. */
async function sendAgain(path: string, folder: string, context: WorkspaceContext): Promise<void> {
  const { out, signal } = context;
  try {
    const sent = await send(path, folder, context);
    if (sent && isRefusal(sent)) out.line(`${out.paint("danger", SHAPES.danger)} ${plain(sent.message)}`);
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof PanelsError)) throw error;
    out.line(`${out.paint("danger", SHAPES.danger)} ${plain(error.message)}`);
  }
}

/** One turn per burst of changes. Ends with the signal. */
async function* changesIn(path: string, signal: AbortSignal): AsyncGenerator<void> {
  let changed = Promise.withResolvers<void>();
  let failed: unknown;
  const watching = (async () => {
    for await (const _ of watch(path, { recursive: true, signal })) changed.resolve();
  })().catch((error: unknown) => {
    failed = error;
    changed.resolve();
  });
  while (!signal.aborted) {
    await changed.promise;
    if (signal.aborted) break;
    if (failed !== undefined) throw failed;
    await new Promise((done) => setTimeout(done, QUIET_MS));
    changed = Promise.withResolvers<void>();
    yield;
  }
  await watching;
}

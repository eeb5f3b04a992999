import type { PackageTheme } from "@backplane/contract/panels";
import { call } from "../../../calls/call.ts";
import { faultWords } from "../../../calls/fault-words.ts";
import { type WorkspaceName, workspaceRoute } from "../../calls.ts";
import { saveFile } from "../../parts/save-file.ts";
import { listFiles, readFile, writeFile } from "../project-files/file-calls.ts";
import type { PackageFiles } from "./bridge.ts";

const MAX_FILE_BYTES = 500_000;

/** The files of the project, as text. Which of them a panel may use is decided before. */
export const packageFiles = (workspace: WorkspaceName): PackageFiles => ({
  async list() {
    const answer = await listFiles(workspace);
    if (!answer.ok) throw new Error(faultWords(answer.fault));
    return answer.value.files.map(({ path }) => path);
  },
  async read(path) {
    const read = await readFile(workspace, path, { maxBytes: MAX_FILE_BYTES });
    if (read.kind === "read") return new TextDecoder().decode(read.bytes);
    if (read.kind === "fault") throw new Error(faultWords(read.fault));
    throw new Error(
      read.kind === "too-large" ? `The file has more than ${MAX_FILE_BYTES} bytes.` : "There is no such file.",
    );
  },
  async write(path, text) {
    const bytes = new TextEncoder().encode(text);
    // It belongs to the panel: what is there is replaced, whatever it is.
    const written = await writeFile(workspace, path, bytes, "existing");
    const done = written.kind === "written" ? written : await writeFile(workspace, path, bytes, "absent");
    if (done.kind === "fault") throw new Error(faultWords(done.fault));
    if (done.kind === "changed") throw new Error("Somebody else wrote this file at the same time. Try again.");
  },
});

/** Names of files that hold data, and no program or page. */
const SAVED = /^[A-Za-z0-9_][A-Za-z0-9_ .-]*\.(?:csv|json|txt)$/;

/** A panel saves what somebody has just asked it for: never by itself, and never what a computer would run. */
export function saveForPerson(holder: HTMLElement, name: string, text: string): void {
  if (!SAVED.test(name)) throw new Error("A panel saves .csv, .json and .txt files.");
  const isAsked = navigator.userActivation.isActive && holder.contains(document.activeElement);
  if (!isAsked) throw new Error("A panel saves a file right after somebody has pressed something in it.");
  saveFile(name, text);
}

const COLOURS = ["text", "muted", "surface", "sunken", "line", "accent", "ok", "warn", "danger"] as const;

/** The colours of the page, as computed: a token itself has both themes. */
export function packageTheme(element: HTMLElement): PackageTheme {
  const probe = document.createElement("span");
  element.append(probe);
  const colourOf = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const colours = Object.fromEntries(COLOURS.map((name) => [name, colourOf(name)]));
  probe.remove();
  const { theme } = document.documentElement.dataset;
  const isDark = theme === undefined ? matchMedia("(prefers-color-scheme: dark)").matches : theme === "dark";
  return { isDark, colours };
}

export async function writeLog(workspace: WorkspaceName, source: string, message: string): Promise<void> {
  const entries = [{ level: "info", source: source.slice(0, 40), message }];
  const answer = await call({ method: "POST", path: workspaceRoute(workspace, "/log"), body: { entries } });
  if (!answer.ok) throw new Error(faultWords(answer.fault));
}

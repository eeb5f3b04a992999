import type { SavedSchematics, SaveSchematics } from "@backplane/contract/panels";
import { call } from "../../../calls/call.ts";
import { type WorkspaceName, workspaceRoute } from "../../calls.ts";
import { WRITE_TIMEOUT_MS, type WrittenFile } from "../project-files/file-calls.ts";
import type { SheetWrite } from "./design-files.ts";

/** Saves several sheets in one request: all of them, or none. The answer is that of each. */
export async function writeSheets(project: WorkspaceName, writes: readonly SheetWrite[]): Promise<WrittenFile[]> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const body: SaveSchematics = {
    files: writes.map(({ path, bytes, expected }) => ({
      ...{ path, text: decoder.decode(bytes) },
      etag: typeof expected === "object" ? expected.etag : null,
    })),
  };
  const path = workspaceRoute(project, "/schematics");
  const answer = await call<SavedSchematics>({ method: "PUT", path, body, timeoutMs: WRITE_TIMEOUT_MS });
  if (answer.ok) return answer.value.files.map(({ etag }) => ({ kind: "written", etag }));
  const { fault } = answer;
  return writes.map(() => (fault.status === 412 ? { kind: "changed", etag: undefined } : { kind: "fault", fault }));
}

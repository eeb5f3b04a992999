import assert from "node:assert/strict";
import type { OfferedPanel } from "@backplane/contract/panels";
import type { Frame, Locator } from "playwright-core";
import { keyWith } from "./simulate-all.ts";
import type { Workspaces } from "./workspaces.ts";

/** `name`: owner/workspace. */
export const packagesPath = (name: string, rest = ""): string =>
  `/api/workspaces/editor/${name}/current/packages${rest}`;

/** Puts the archive of a panel into the registry. */
export async function publishArchive(workspaces: Workspaces, archive: Uint8Array): Promise<void> {
  const answer = await fetch(`${workspaces.pages}/registry/packages`, {
    method: "POST",
    headers: { "x-api-key": await keyWith(workspaces, "publish"), "content-type": "application/zip" },
    body: new Uint8Array(archive),
  });
  assert.equal(answer.status, 201, await answer.text());
}

export async function offeredPanel(workspaces: Workspaces, name: string, identifier: string): Promise<OfferedPanel> {
  const answer = await workspaces.owner.call(workspaces.pages, packagesPath(name, "/offered"));
  const { panels } = (await answer.json()) as { panels: OfferedPanel[] };
  const found = panels.find((each) => each.identifier === identifier);
  assert.ok(found, identifier);
  return found;
}

/** The owner allows what the panel wants. */
export async function allowPanel(workspaces: Workspaces, name: string, identifier: string): Promise<void> {
  const { version, sha256, panel } = await offeredPanel(workspaces, name, identifier);
  const body = { version, sha256, wants: panel.wants };
  const path = packagesPath(name, `/${identifier}`);
  const answer = await workspaces.owner.call(workspaces.pages, path, { method: "PUT", body });
  assert.equal(answer.status, 200, await answer.text());
}

/** The document in which the code of a package runs. */
export async function frameOf(slot: Locator): Promise<Frame> {
  const outer = await (await slot.locator("iframe").elementHandle())?.contentFrame();
  const inner = outer?.childFrames()[0];
  assert.ok(inner);
  return inner;
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { OWNER } from "../support/platform.ts";
import { connected } from "../support/workspaces.ts";
import type { BrowserBench } from "./bench.ts";
import { dialog } from "./page-bench.ts";

/** Workspaces as such: created, renamed, deleted. */
export function testWorkspaces(bench: () => BrowserBench): void {
  test("a mistyped address asks before it creates a workspace; open pages follow a new name; the list deletes it", async () => {
    const { workspaces, windows } = bench();
    const { page } = await windows.show(0, "thermal-run");
    const named = (repo: string) => `${OWNER.name}/${repo}`;
    await page.goto(`${workspaces.pages}/w/${named("termal-run")}`);
    await page.getByRole("heading", { name: `There is no workspace ${named("termal-run")}` }).waitFor();
    await page.getByRole("link", { name: named("thermal-run") }).waitFor();
    await page.getByRole("button", { name: `Create ${named("termal-run")}` }).click();
    await connected(page);

    const path = `/api/workspaces/editor/${named("termal-run")}`;
    const renamed = await workspaces.owner.call(workspaces.pages, path, { method: "PATCH", body: { repo: "typo" } });
    assert.equal(renamed.status, 200);
    await page.waitForURL(`${workspaces.pages}/w/${named("typo")}`);
    await connected(page);

    await page.goto(`${workspaces.pages}/w/${named("termal-run")}`);
    await page.getByText(`It was renamed to ${named("typo")}.`).waitFor();
    await page.goto(`${workspaces.pages}/workspaces`);
    const menu = page.getByRole("button", { name: `Menu of ${named("typo")}` });
    await menu.click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    const asked = dialog(page, "Delete typo?");
    await asked.getByLabel("Type the name to delete it").fill("typo");
    await asked.getByRole("button", { name: "Delete typo" }).click();
    await menu.waitFor({ state: "detached" });
    const gone = await workspaces.owner.call(workspaces.pages, path.replace("termal-run", "typo"), {
      method: "DELETE",
    });
    assert.equal(gone.status, 404);
  });
}

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { OWNER } from "../support/platform.ts";
import { connected } from "../support/workspaces.ts";
import type { BrowserBench } from "./bench.ts";
import { dialog } from "./page-bench.ts";

/** The list: it follows what others do, searches, and creates nothing twice. */
async function testList(page: Page, { pages, owner }: BrowserBench["workspaces"]): Promise<void> {
  const card = (repo: string) => page.getByRole("article", { name: `${OWNER.name}/${repo}` });
  await page.getByRole("button", { name: "New workspace" }).click();
  const form = page.getByRole("form", { name: "New workspace" });
  await owner.call(pages, `/api/workspaces/editor/${OWNER.name}/made-meanwhile/current`);
  await card("made-meanwhile").waitFor();
  await form.getByLabel("Name").fill("Made-Meanwhile");
  await form.getByRole("button", { name: "Create workspace" }).click();
  await form.getByText("exists already.").waitFor();
  const link = form.getByRole("link", { name: "Open it" });
  assert.equal(await link.getAttribute("href"), `/w/${OWNER.name}/Made-Meanwhile`);
  await form.getByRole("button", { name: "Cancel" }).click();

  await page.keyboard.press("/");
  await page.keyboard.type("meanwhile");
  await card("typo").waitFor({ state: "detached" });
  await card("made-meanwhile").getByRole("link").focus();
  await page.keyboard.press("F2");
  const renaming = dialog(page, "Rename made-meanwhile");
  await renaming.getByLabel("Name").fill("meanwhile");
  await renaming.getByRole("button", { name: "Rename" }).click();
  const menu = page.getByRole("button", { name: `Menu of ${OWNER.name}/meanwhile`, exact: true });
  await menu.click();
  await page.getByRole("menuitem", { name: "Duplicate" }).click();
  await dialog(page, "Duplicate meanwhile").getByRole("button", { name: "Duplicate" }).click();
  await card("meanwhile-copy").waitFor();
  await menu.click();
  const saving = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "Save layout as file" }).click();
  const saved = await saving;
  assert.equal(saved.suggestedFilename(), "meanwhile.layout.json");
  assert.equal(JSON.parse(await readFile(await saved.path(), "utf8")).root.type, "leaf");
  await page.getByRole("searchbox", { name: "Search workspaces" }).fill("");
}

/** Workspaces as such: created, renamed, deleted. */
export function testWorkspaces(bench: () => BrowserBench): void {
  test("a mistyped address asks before it creates a workspace; open pages follow a new name; the list deletes it", async () => {
    const { workspaces, windows } = bench();
    const { page } = await windows.show(0, "thermal-run");
    const named = (repo: string) => `${OWNER.name}/${repo}`;
    const path = `/api/workspaces/editor/${named("termal-run")}`;
    const answer = await workspaces.owner.call(workspaces.pages, `${path}/devices`);
    assert.equal(answer.status, 404, "a question about its devices does not create it");
    await page.goto(`${workspaces.pages}/w/${named("termal-run")}`);
    await page.getByRole("heading", { name: `There is no workspace ${named("termal-run")}` }).waitFor();
    await page.getByRole("link", { name: named("thermal-run") }).waitFor();
    await page.getByRole("button", { name: `Create ${named("termal-run")}` }).click();
    await connected(page);

    const renamed = await workspaces.owner.call(workspaces.pages, path, { method: "PATCH", body: { repo: "typo" } });
    assert.equal(renamed.status, 200);
    await page.waitForURL(`${workspaces.pages}/w/${named("typo")}`);
    await connected(page);

    await page.goto(`${workspaces.pages}/w/${named("termal-run")}`);
    await page.getByText(`It was renamed to ${named("typo")}.`).waitFor();
    await page.goto(`${workspaces.pages}/workspaces`);
    await testList(page, workspaces);
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

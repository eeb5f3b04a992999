import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import type { Page } from "playwright-core";
import {
  SAMPLE_ICON,
  type Sample,
  sampleArchive,
  sampleMetadata,
} from "../../packages/registry/src/archives/samples.suite.ts";
import { scratchFolder } from "../../packages/sdk/src/testing/scratch.ts";
import { ROOT } from "../support/backplane.ts";
import { changePerson, type Visit } from "../support/browser.ts";
import { assertLooksRightInEveryLook } from "../support/looks.ts";
import { run } from "../support/packages.ts";
import { fillSignIn, type Person, signedInWindow } from "../support/person.ts";
import type { RunningPlatform } from "../support/platform.ts";
import type { PlatformBench } from "./bench.ts";

const h1 = (page: Page, name: string | RegExp) => page.getByRole("heading", { level: 1, name });

/** Drops a file from the desktop. */
async function drop(page: Page, name: string, archive: Buffer): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    ([file, base64]) => {
      const dragged = new DataTransfer();
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      dragged.items.add(new File([bytes], file, { type: "application/zip" }));
      return dragged;
    },
    [name, archive.toString("base64")] as const,
  );
  await page.locator("label.drop").dispatchEvent("drop", { dataTransfer });
}

const pick = (page: Page, name: string, buffer: Buffer) =>
  page.locator("input[type=file]").setInputFiles({ name, mimeType: "application/zip", buffer });

export function testPackagesPages(bench: () => PlatformBench): void {
  let platform: RunningPlatform;
  let owner: Person;
  let seen: Visit;
  let page: Page;
  before(async () => {
    ({ platform, owner, seen, page } = bench());
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  });
  beforeEach(async () => {
    await changePerson(page);
    seen.complaints.length = 0;
  });
  after(() => page.context().clearPermissions());

  async function publish(sample: Sample): Promise<void> {
    const response = await fetch(`${platform.url}/registry/packages`, {
      method: "POST",
      headers: { "content-type": "application/zip", origin: platform.url, cookie: owner.cookie },
      body: new Uint8Array(sampleArchive(sample)),
    });
    assert.equal(response.status, 201, await response.text());
  }

  test("an uploaded archive is checked and published, found, installed with the command on the page, deprecated and unpublished", async () => {
    const sample: Sample = { identifier: "org.example.router", metadata: { name: "Patient router" } };
    const faulty: Sample = { ...sample, metadata: { ...sample.metadata, license: "MTI" } };
    await changePerson(page, signedInWindow(owner));
    await page.goto(`${platform.pages}/packages/publish`);
    await h1(page, "Publish a package").waitFor();

    await drop(page, "router.zip", sampleArchive(faulty));
    const errors = page.getByRole("region", { name: "1 error" });
    const written = JSON.stringify(sampleMetadata(faulty), null, 2).split("\n");
    const line = written.findIndex((text) => text.includes("MTI"));
    const place = `metadata.json, line ${line + 1}, column ${(written[line] ?? "").indexOf('"MTI"') + 1}, /license`;
    await errors.getByText(place).waitFor();
    assert.equal(await page.getByRole("button", { name: /^Publish/ }).count(), 0);

    await pick(page, "not.zip", Buffer.from("no archive at all"));
    await page.getByText("Not sent: not.zip is not a zip archive. Choose a file that ends in .zip.").waitFor();

    await pick(page, "router.zip", sampleArchive(sample));
    await page.getByRole("status").getByText("Ready to publish").waitFor({ state: "attached" });
    await page.getByRole("button", { name: "Publish 1.0.0" }).click();
    await h1(page, "Published").waitFor();

    await page.getByRole("link", { name: "Packages", exact: true }).first().click();
    await h1(page, "Packages").waitFor();
    await page.getByLabel("Search packages").fill("patient");
    await page.getByRole("link", { name: /Patient router/ }).click();
    await h1(page, "Patient router").waitFor();

    const command = await page.getByRole("region", { name: "Install" }).locator(".copy code").innerText();
    using there = scratchFolder();
    // As if the command were installed.
    const PATH = `${join(ROOT, "node_modules/.bin")}:${process.env.PATH}`;
    const env = { PATH, HOME: there.path, BACKPLANE_PKG_ROOT: join(there.path, "root"), BASE_URL: platform.pages };
    const ran = await run("/bin/sh", ["-c", command], ROOT, env);
    assert.equal(ran.code, 0, ran.stderr);
    const file = join(there.path, "root/plugins/org_example_router/__init__.py");
    assert.equal(readFileSync(file, "utf8"), "print('Hello')\n");

    await page.getByLabel("Status of 1.0.0").selectOption("deprecated");
    await page.getByRole("button", { name: "Make it deprecated" }).click();
    await page.getByRole("button", { name: "Make it deprecated" }).waitFor({ state: "detached" });
    await page.reload();
    assert.equal(await page.getByLabel("Status of 1.0.0").inputValue(), "deprecated");
    const response = await fetch(`${platform.url}/registry/packages/org.example.router`);
    const { versions } = (await response.json()) as { versions: { status: string }[] };
    assert.deepEqual(
      versions.map(({ status }) => status),
      ["deprecated"],
    );

    const change = async (method: string, path: string, body: object) => {
      const answer = await fetch(`${platform.url}/registry/packages/org.example.router${path}`, {
        method,
        headers: { "content-type": "application/json", origin: platform.url, cookie: owner.cookie },
        body: JSON.stringify(body),
      });
      assert.equal(answer.status, 204);
      await page.reload();
    };
    await page.getByText("pkg install org.example.router").waitFor();
    await change("PATCH", "", { private: true });
    await page.getByText("It is not in the public repository.").waitFor();
    assert.equal(await page.getByText("pkg install").count(), 0, "it would not find a private package");
    await change("DELETE", "/versions/1.0.0", { reason: "It contained a private key." });
    await page.getByRole("list", { name: "Unpublished versions" }).getByText("It contained a private key.").waitFor();
    assert.deepEqual(seen.complaints, []);
  });

  test("with the keyboard alone a package is searched, opened, and its command copied", async () => {
    await publish({ identifier: "org.example.keys", metadata: { name: "Keys only" } });
    await publish({ identifier: "org.example.other", metadata: { name: "Another one" } });
    await page.goto(`${platform.pages}/packages`);
    await page.getByRole("link", { name: /Another one/ }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("keys only");
    await page.getByRole("link", { name: /Another one/ }).waitFor({ state: "detached" });
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await h1(page, "Keys only").waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    for (let presses = 0; (await focused()) !== "Copy command"; presses += 1) {
      assert.ok(presses < 60, "the button can be reached with Tab");
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Enter");
    await page.getByRole("status").getByText("Copied").waitFor({ state: "attached" });
    const shown = await page.getByRole("region", { name: "Install" }).locator(".copy code").innerText();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), shown);
    assert.deepEqual(seen.complaints, []);
  });

  test("a visitor who is not signed in must sign in before publishing, and returns to the page", async () => {
    await page.goto(`${platform.pages}/packages/publish`);
    await page.getByRole("heading", { name: "Sign in to publish" }).waitFor();
    assert.equal(await page.locator("input[type=file]").count(), 0);
    await page.getByRole("main").getByRole("link", { name: "Sign in" }).click();
    await fillSignIn(page);
    await page.waitForURL(`${platform.pages}/packages/publish`);
    await page.locator("input[type=file]").waitFor({ state: "attached" });
  });

  test("list, package and publish pages, in every theme and width: no serious axe findings, no horizontal scrolling", async () => {
    const long = "x".repeat(60);
    const metadata = {
      name: `Long ${long}`,
      description: `It is ${long} ${long}`,
      description_full: `See https://example.org/${long}\n\n- one\n- two ${long}`,
      tags: ["one", "two"],
      keep_on_update: [`/${long}[.]json$`],
    };
    const files = Object.fromEntries(
      ["1-board", "2-layer-stack"].map((name) => [
        `resources/screenshots/${name}.png`,
        Buffer.concat([SAMPLE_ICON, Buffer.from(name)]),
      ]),
    );
    await publish({ identifier: `org.example.${long.slice(0, 40)}`, metadata, files });
    const faulty = sampleArchive({ metadata: { license: "MTI", description: long.repeat(3) } });
    await changePerson(page, signedInWindow(owner));
    await page.goto(`${platform.pages}/packages?tool=9.0.2&platform=linux`);
    await page.getByRole("link", { name: /Long/ }).waitFor();
    await assertLooksRightInEveryLook(page, "the list");
    await page.getByRole("link", { name: /Long/ }).click();
    await page.getByRole("region", { name: "Versions" }).waitFor();
    await page.getByRole("img", { name: "Board" }).waitFor();
    await page.getByRole("button", { name: "Next screenshot" }).click();
    await page.getByRole("img", { name: "Layer stack" }).waitFor();
    await page.getByLabel("Status of 1.0.0").selectOption("testing");
    await page.getByRole("button", { name: "Make it testing" }).waitFor();
    await assertLooksRightInEveryLook(page, "a package");
    await page.goto(`${platform.pages}/packages/publish`);
    await pick(page, "faulty.zip", faulty);
    await page.getByRole("region", { name: /errors?$/ }).waitFor();
    await assertLooksRightInEveryLook(page, "publishing");
    assert.deepEqual(seen.complaints, []);
  });
}

import assert from "node:assert/strict";
import { sampleArchive } from "../../packages/registry/src/archives/samples.suite.ts";
import { openBrowser, visit } from "../support/browser.ts";
import { fillSignIn } from "../support/person.ts";
import { until } from "../support/processes.ts";
import { connected, driverOf } from "../support/workspaces.ts";
import type { Machine } from "./machine.ts";
import { namesInChromium, PUBLIC, reachPublicNames } from "./public-names.ts";

const at = (host: string): string => `https://${host}`;

export type Owner = { name: string; password: string; api_key: string };

/** The owner's first credentials, of the machine that made the account. */
export const ownerOf = (machine: Machine): Owner =>
  JSON.parse(machine.paste("cat /var/lib/backplane/owner.json")) as Owner;

/** Of the machine that made the certificate. */
export const authorityOf = (machine: Machine): string => machine.paste("cat /etc/ssl/backplane/ca.crt");

/**
 * Somebody signs in with Chromium, by the public names that lead to this address, reads about a package that a program has
 * published, downloads it, and runs code in a panel.
 */
export async function smokeTest(authority: string, address: string, owner: Owner): Promise<void> {
  reachPublicNames(authority, address);
  const url = at(PUBLIC.platform);
  const headers = { "x-api-key": owner.api_key, "content-type": "application/zip", connection: "close" };
  const identifier = `org.example.smoke${Date.now()}`;
  const body = new Uint8Array(sampleArchive({ identifier, version: "1.0.0" }));
  const published = await fetch(`${url}/registry/packages`, { method: "POST", headers, body });
  assert.equal(published.status, 201, await published.text());
  const downloaded = await fetch(`${url}/registry/archives/${identifier}/1.0.0.zip`);
  assert.ok(Buffer.from(await downloaded.arrayBuffer()).equals(body), "every platform serves its archive");

  const repo = `smoke${Date.now()}`;
  const driver = driverOf({ apiKey: owner.api_key }, url, repo, owner.name);
  const { panelId } = await driver.open("sandbox");
  // The authority of the guide is trusted by programs here; Chromium has a store of its own.
  const browser = await openBrowser(namesInChromium(address), "--ignore-certificate-errors");
  try {
    await using seen = await visit(browser);
    const { page } = seen;
    await page.goto(`${url}/auth/sign-in`);
    await fillSignIn(page, owner);
    await page.waitForURL(({ pathname }) => pathname !== "/auth/sign-in");
    await page.goto(`${url}/packages/${identifier}`);
    await page.getByText(identifier).first().waitFor();
    await page.goto(`${url}/w/${owner.name}/${repo}`);
    await connected(page);
    await until(async () => {
      const result = await driver.eval(panelId, "6 * 7");
      return result.status === "executed" && result.result === 42;
    }, "the sandbox runs code");
    const frames = page.frames().map((frame) => new URL(frame.url()).hostname);
    assert.ok(
      frames.some((host) => host.endsWith(PUBLIC.frames.slice(1))),
      `${frames}`,
    );
  } finally {
    await browser.close();
  }
}

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Page, Route } from "playwright-core";
import { copyText, pressPaste } from "../support/clipboard.ts";
import { until } from "../support/processes.ts";
import { pictureWithText, startViewer } from "../support/viewer.ts";
import {
  assertAccessibleInEveryLook,
  focusOf,
  nameField,
  newFilesOf,
  openSecondWindow,
  type PageBench,
  paste,
  showPastePage,
  smallPicture,
  tabTo,
  untilPairOfSize,
} from "./page-bench.ts";

const MAX_UPLOAD_BYTES = 33_554_432;
const EIGHT_DAYS_MS = 8 * 24 * 3_600_000;
/** Moves a process's clock past the expiry of page tokens. */
const LATER = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(`const now=Date.now;Date.now=()=>now()+${EIGHT_DAYS_MS}`)}`,
};

const EVENTS = "**/screenshot-paste/events";
/** Also matches the page's own address, but that is not requested again. */
const isUpload = /\/screenshot-paste\?title=/;

const choose = (page: Page, name: string, mimeType: string, buffer: Buffer): Promise<void> =>
  page.locator("input[type=file]").setInputFiles({ name, mimeType, buffer });

const untilSaved = (page: Page): Promise<void> => page.getByText(/^Saved in .* no text was found/).waitFor();

/** Errors, each shown with its next step. */
export function testPageFaults(bench: () => PageBench): void {
  test("anything that is not an image, damaged or too large is not saved, and the page shows why and what to do", async (t) => {
    const { viewer } = bench();
    const picture = await pictureWithText("Not to be seen");
    const folder = mkdtempSync(join(tmpdir(), "backplane-large-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const large = join(folder, "large.png");
    writeFileSync(large, Buffer.concat([picture, Buffer.alloc(MAX_UPLOAD_BYTES)]));
    const cases: [what: string, give: (page: Page) => Promise<void>, says: RegExp, next: RegExp][] = [
      [
        "text",
        async (page) => {
          await copyText(page, "only words");
          await pressPaste(page);
        },
        /^Nothing was saved: the clipboard holds text, not an image\.$/,
        /^Take the screenshot again, then press Ctrl V here\.$/,
      ],
      [
        "a text file",
        (page) => choose(page, "notes.txt", "text/plain", Buffer.from("words")),
        /^Nothing was saved: notes\.txt is not an image\.$/,
        /^Use a PNG, JPEG, WebP, GIF, AVIF or TIFF\.$/,
      ],
      [
        "text declared as an image",
        (page) => choose(page, "a.png", "image/png", Buffer.from("<html>not a picture</html>")),
        /^Nothing was saved: this is not a supported image\.$/,
        /^Use a PNG, JPEG, WebP, GIF, AVIF or TIFF\.$/,
      ],
      [
        "half an image",
        (page) => choose(page, "a.png", "image/png", picture.subarray(0, picture.length >> 1)),
        /^Nothing was saved: the image is incomplete or damaged/,
        /^Take the screenshot again/,
      ],
      [
        "more than 32 MB",
        (page) => page.locator("input[type=file]").setInputFiles(large),
        /^Nothing was saved: the image has a little over 32 MB; the limit is 32 MB\.$/,
        /^Make it smaller, then drop it here\.$/,
      ],
    ];
    await using seen = await showPastePage(bench(), viewer);
    const { page } = seen;
    const files = newFilesOf(viewer);
    const alert = page.getByRole("alert");
    for (const [what, give, says, next] of cases) {
      await give(page);
      await alert.getByText(says).waitFor();
      await alert.getByText(next).waitFor();
      await page.getByRole("heading", { name: /to paste/ }).waitFor();
      assert.match(await focusOf(page), /^(drop|file)$/, what);
      await page.keyboard.press("Escape");
      await alert.getByText(says).waitFor({ state: "hidden" });
    }
    assert.deepEqual(files(), []);
    // The page still works afterwards.
    await paste(page, smallPicture());
    await untilSaved(page);
    assert.equal(files().length, 2);
  });

  test("an unsaved image is not confused with a later one, and outdated messages disappear", async () => {
    const { viewer } = bench();
    await using seen = await showPastePage(bench(), viewer);
    const { page } = seen;
    const files = newFilesOf(viewer);
    const alert = page.getByRole("alert");
    const untilSaid = (text: string) => until(async () => (await page.locator("#said").textContent()) === text, text);
    await page.route(isUpload, (route) => route.abort());
    await paste(page, smallPicture());
    await alert.getByText("Not saved yet: the viewer does not answer.", { exact: true }).waitFor();
    await untilSaid("");

    await page.unroute(isUpload);
    await paste(page, smallPicture("#b52", 90));
    await untilPairOfSize(files, "90x40");
    await alert.getByText("The 64 × 40 image is not saved yet: the viewer does not answer.", { exact: true }).waitFor();
    await untilSaved(page);
    await page.getByRole("button", { name: "Try again" }).click();
    await untilPairOfSize(files, "64x40");
    await untilSaid("Saved");

    const name = nameField(page);
    await name.fill("valves");
    await name.press("Enter");
    await untilSaid("Renamed to valves");
    await name.fill("???");
    await name.press("Enter");
    await page.locator("#name-fault").waitFor();
    await untilSaid("");
  });

  test("a list that waits to reconnect does so at once when the viewer answers or the user comes back", async () => {
    const { viewer } = bench();
    const picture = await smallPicture();
    const ways: [what: string, come: (page: Page) => Promise<void>][] = [
      ["an upload is answered", (page) => choose(page, "boiler.png", "image/png", picture)],
      ["the window gets the focus", (page) => page.evaluate(() => void window.dispatchEvent(new Event("focus")))],
    ];
    const assertReconnects = async ([what, come]: (typeof ways)[number]) => {
      let attempts = 0;
      const refuse = (route: Route) => {
        attempts += 1;
        return route.abort();
      };
      await using seen = await openSecondWindow(bench(), viewer, (fresh) => fresh.route(EVENTS, refuse));
      const { page } = seen;
      // The next attempt would be after 8 s.
      await until(() => attempts === 4, "four attempts");
      await page.getByText("Connection lost, trying again").waitFor();
      await page.unroute(EVENTS);
      await come(page);
      await page.getByText("Connection lost").waitFor({ state: "hidden" });
      assert.equal(attempts, 4, what);
    };
    await Promise.all(ways.map(assertReconnects));
  });

  test("while the viewer is down images are kept in the page unless discarded; Try again sends each of them once, and the list is live again", async () => {
    const { viewer } = bench();
    await using seen = await showPastePage(bench(), viewer);
    const { page } = seen;
    const files = newFilesOf(viewer);
    await viewer.kill();
    await paste(page, smallPicture("#b52"));
    await page.getByRole("button", { name: "Discard" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Discard" }).click();
    await page.getByRole("heading", { name: /to paste/ }).waitFor();
    assert.equal(await focusOf(page), "drop");

    const alert = page.getByRole("alert");
    const pastes = [
      [50, "Not saved yet: the viewer does not answer."],
      [51, "2 images are not saved yet: the viewer does not answer."],
    ] as const;
    for (const [width, says] of pastes) {
      await paste(page, smallPicture("#27c", width));
      await alert.getByText(says, { exact: true }).waitFor();
    }
    await page.getByText("Connection lost, trying again").waitFor();
    await assertAccessibleInEveryLook(page, "unsaved while the viewer is down");
    await page.getByRole("button", { name: "Try again" }).click();
    await alert.getByText("Start it, then try again. The images are kept here.").waitFor();
    assert.deepEqual(files(), []);

    await viewer.start();
    await tabTo(page, "Try again");
    await page.keyboard.press("Enter");
    for (const size of ["50x40", "51x40"]) await untilPairOfSize(files, size);
    await alert.getByText(/./).first().waitFor({ state: "hidden" });
    assert.notEqual(await focusOf(page), "nothing", "the focus is not lost when the button disappears");
    await until(async () => (await page.getByText("Connection lost").count()) === 0, "the page is connected again");
    await page.getByRole("listitem").filter({ hasText: "50 × 40" }).waitFor();
    await page.locator("#optimized").getByText("-51x40.png").waitFor();
    assert.equal(files().length, 4, "two pairs, none of the discarded image");
  });

  // Must be last: it stops the shared viewer.
  test("a page whose token has expired says so and reloads", async () => {
    const { viewer } = bench();
    await using seen = await showPastePage(bench(), viewer);
    const { page } = seen;
    const files = newFilesOf(viewer);
    await viewer.kill("SIGTERM");
    await using _later = await startViewer({
      ...LATER,
      VIEWER_PROJECT: viewer.project,
      VIEWER_PORT: String(viewer.port),
    });
    await paste(page, smallPicture("#0aa"));
    await page
      .getByRole("alert")
      .getByText(/page is too old\.$/)
      .first()
      .waitFor();
    assert.deepEqual(files(), []);
    await page.getByRole("button", { name: "Reload" }).click();
    await page.getByRole("heading", { name: /to paste/ }).waitFor();
    await pressPaste(page);
    await until(() => files().length === 2, "both files");
  });
}

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { VIEWER_LIMITS } from "@backplane/contract/viewer";
import { assertSameBytes } from "../../../../scripts/testing/same-bytes.ts";
import { pngOf, startViewer, type ViewerUnderTest } from "../routes/viewer-under-test.suite.ts";
import type { ViewerAccess } from "../services.ts";

const UNKNOWN = "20200101-000000-000-abc123";

export type AccessUnderTest = { viewer: ViewerUnderTest; access: ViewerAccess };

/** Laws of every ViewerAccess, in the process that holds the project and over HTTP. `heard`: how many waits have begun. */
export function describeAccess(
  name: string,
  accessTo: (viewer: ViewerUnderTest) => ViewerAccess,
  heard: (viewer: ViewerUnderTest, waits: number) => Promise<void> = async () => undefined,
): void {
  async function open(t: TestContext): Promise<AccessUnderTest> {
    const viewer = await startViewer(t);
    return { viewer, access: accessTo(viewer) };
  }
  /** More than a busy machine needs. */
  const within = () => AbortSignal.timeout(30_000);

  test(`${name}: an image in a message is saved, found, listed and read`, async (t) => {
    const { viewer, access } = await open(t);
    assert.equal(await access.newest(), undefined);
    const image = await pngOf();
    const paste = await access.paste(image, "Board");
    assert.deepEqual([paste.title, paste.status], ["Board", "naming"]);
    assert.deepEqual(await access.newest(), { ...paste, text: null });
    assert.deepEqual(await access.get(paste.id), { ...paste, text: null });
    assert.deepEqual(await access.list(5_000), { pastes: [paste], more: false });
    assertSameBytes(await access.readFile(paste.id, "original"), image);
    // A smaller file may have replaced it.
    assert.ok((await access.readFile(paste.id, "optimized")).length <= paste.optimized.bytes);
    assert.equal(viewer.waiting.length, 1);
    assert.equal(access.project, viewer.project);
    assert.deepEqual(await viewer.incoming(), []);
  });

  test(`${name}: invalid input is refused with the same code, and the error names the field`, async (t) => {
    const { viewer, access } = await open(t);
    await assert.rejects(access.paste(Buffer.alloc(0), undefined), { code: "invalid-input" });
    await assert.rejects(access.paste(Buffer.from("no image"), undefined), { code: "not-an-image" });
    const large = Buffer.alloc(VIEWER_LIMITS.maxUploadBytes + 1);
    await assert.rejects(access.paste(large, undefined), { code: "payload-too-large" });
    await assert.rejects(access.paste(await pngOf(), "x".repeat(201)), { code: "invalid-parameter" });
    await assert.rejects(access.search("x".repeat(201), 10), {
      code: "invalid-parameter",
      errors: [{ pointer: "/q", message: "must NOT have more than 200 characters" }],
    });
    const { id } = await access.paste(await pngOf(), undefined);
    await assert.rejects(access.rename(id, "///", "you"), { code: "invalid-input" });
    assert.equal(await access.get(UNKNOWN), undefined);
    assert.equal(await access.get("../../etc"), undefined);
    for (const unknown of [UNKNOWN, "../.."]) {
      await assert.rejects(access.rename(unknown, "a", "you"), { code: "paste-unknown" });
      await assert.rejects(access.readFile(unknown, "original"), { code: "paste-unknown" });
      await assert.rejects(access.named(unknown, within()), { code: "paste-unknown" });
    }
    assert.deepEqual([(await viewer.files()).length, await viewer.incoming()], [2, []]);
  });

  test(`${name}: finds screenshots by their text, and renames for a person or a client`, async (t) => {
    const { viewer, access } = await open(t);
    const { id } = await access.paste(await pngOf(), undefined);
    await viewer.name(id, "oven-controller");
    const [hit, ...others] = await access.search("oven", 10);
    assert.deepEqual([hit?.paste.id, others.length], [id, 0]);
    assert.deepEqual(await access.search("nothing-of-the-kind", 10), []);
    assert.equal((await access.rename(id, "a-model-says", "client")).namedBy, "client");
    assert.equal((await access.rename(id, "A person says", "you")).name, "a-person-says");
  });

  test(`${name}: opens the widget with its title`, async (t) => {
    const { access } = await open(t);
    assert.equal((await access.openWidget("Board")).title, "Board");
    assert.equal((await access.openWidget(undefined)).title, "Paste a screenshot");
  });

  test(`${name}: next waits for a new screenshot; renamed and restored ones do not count`, async (t) => {
    const { viewer, access } = await open(t);
    const old = await access.paste(await pngOf(), undefined);
    const removed = await access.paste(await pngOf(), undefined);
    await viewer.pastes.remove(removed.id);
    const next = access.next(within());
    await heard(viewer, 1);
    await viewer.name(old.id, "old-one");
    await viewer.pastes.restore(removed.id);
    const fresh = await access.paste(await pngOf(), "new");
    assert.equal((await next).id, fresh.id);
  });

  test(`${name}: next gives a screenshot pasted before the call, if it is newer than the one named by after`, async (t) => {
    const { access } = await open(t);
    const old = await access.paste(await pngOf(), undefined);
    const fresh = await access.paste(await pngOf(), undefined);
    await access.paste(await pngOf(), undefined);
    assert.equal((await access.next(within(), { after: old.id })).id, fresh.id);
    assert.equal((await access.next(within(), { after: "" })).id, old.id);
  });

  test(`${name}: several callers can wait for the same screenshot`, async (t) => {
    const { viewer, access } = await open(t);
    const waiting = [access.next(within()), access.next(within())];
    await heard(viewer, 2);
    const { id } = await access.paste(await pngOf(), undefined);
    assert.deepEqual(
      (await Promise.all(waiting)).map((paste) => paste.id),
      [id, id],
    );
  });

  test(`${name}: waiting ends with the signal's reason, even if the signal was aborted before`, async (t) => {
    const { viewer, access } = await open(t);
    const stop = new AbortController();
    const waiting = assert.rejects(access.next(stop.signal), { message: "enough" });
    await heard(viewer, 1);
    stop.abort(new Error("enough"));
    await waiting;
    await assert.rejects(access.next(stop.signal), { message: "enough" });
  });

  test(`${name}: named resolves when the screenshot has its name, or with the current state when time is up`, async (t) => {
    const { viewer, access } = await open(t);
    const { id, name: first } = await access.paste(await pngOf(), undefined);
    const stop = new AbortController();
    const [named, unnamed] = [access.named(id, within()), access.named(id, stop.signal)];
    await heard(viewer, 2);
    stop.abort();
    assert.deepEqual([(await unnamed).status, (await unnamed).name], ["naming", first]);
    await viewer.name(id, "login-dialog");
    assert.deepEqual([(await named).name, (await named).text], ["login-dialog", "the text of login-dialog"]);
    assert.equal((await access.named(id, within())).name, "login-dialog");
    assert.equal((await access.named(id, stop.signal)).name, "login-dialog");
  });

  test(`${name}: waiting for the name of a screenshot that is then removed ends with paste-unknown`, async (t) => {
    const { viewer, access } = await open(t);
    const { id } = await access.paste(await pngOf(), undefined);
    const waiting = assert.rejects(access.named(id, within()), { code: "paste-unknown" });
    await heard(viewer, 1);
    await viewer.pastes.remove(id);
    await waiting;
  });
}

import assert from "node:assert/strict";
import { test } from "node:test";

const { describeFault, describeKept, faultOf, canTryAgain, ViewerFault } = await import(
  new URL("faults.js", import.meta.url).href
);
const { findImages, checkImage } = await import(new URL("paste-and-drop.js", import.meta.url).href);

const limits = { imageTypes: "PNG or GIF", maxUploadBytes: 33_554_432, maxPixels: 50_000_000 };
const describe = (code: string, facts = {}, doing = "save") =>
  describeFault(new ViewerFault(code, facts), { doing, keys: "Ctrl V", limits });
const file = (name: string, type: string) => ({ name, type, size: 10 });
const transferOf = (types: string[], files: object[] = []) => ({
  types,
  files,
  items: files.map((one) => ({ kind: "file", getAsFile: () => one })),
});

test("Nothing was saved: the clipboard holds text, not an image. Take the screenshot again, then press Ctrl V here.", () => {
  const { images, fault } = findImages(transferOf(["text/plain", "text/html"]), "clipboard");
  assert.deepEqual(images, []);
  const { what, next } = describeFault(fault, { doing: "save", keys: "Ctrl V" });
  assert.equal(
    `${what} ${next}`,
    "Nothing was saved: the clipboard holds text, not an image. Take the screenshot again, then press Ctrl V here.",
  );
});

test("an image that was copied along with text is found", () => {
  const image = file("image.png", "image/png");
  assert.deepEqual(findImages(transferOf(["text/html", "Files"], [image]), "clipboard"), { images: [image] });
});

test("an empty clipboard, other content and a wrong file have different messages", () => {
  const codeOf = (transfer: object, how = "clipboard") => findImages(transfer, how).fault.code;
  assert.equal(codeOf(transferOf([])), "clipboard-empty");
  assert.equal(codeOf(transferOf(["application/x-thing"])), "clipboard-other");
  assert.equal(codeOf(transferOf(["text/plain"]), "dropped"), "dropped-other");
  assert.equal(codeOf(transferOf(["Files"], [file("a.pdf", "application/pdf")])), "not-images");
});

test("from several files the images are used, and the message names the others", () => {
  const files = [file("a.png", "image/png"), file("b.txt", "text/plain"), file("raw", "")];
  const { images, fault } = findImages(transferOf(["Files"], files), "dropped");
  assert.deepEqual(
    images.map(({ name }: { name: string }) => name),
    ["a.png", "raw"],
  );
  const { what } = describeFault(fault, { doing: "save", keys: "Ctrl V" });
  assert.equal(what, "Not all were saved: b.txt is not an image.");
});

test("more than 32 MB is refused before it is sent", () => {
  const maxBytes = 33_554_432;
  assert.equal(checkImage({ size: maxBytes }, maxBytes), undefined);
  const { what } = describeFault(checkImage({ size: 50 * 1024 * 1024 }, maxBytes), { doing: "save", keys: "Ctrl V" });
  assert.equal(what, "Nothing was saved: the image has 50 MB; the limit is 32 MB.");
});

test("messages about limits say the limit, and never the same number twice", () => {
  const maxBytes = 33_554_432;
  assert.equal(
    describe("file-too-large", { bytes: maxBytes + 1, maxBytes }).what,
    "Nothing was saved: the image has a little over 32 MB; the limit is 32 MB.",
  );
  assert.match(describe("payload-too-large").what, /; the limit is 32 MB\.$/);
  assert.match(describe("image-too-large").what, /too many pixels; the limit is 50 megapixels\.$/);
  for (const code of ["not-an-image", "unsupported-media-type", "not-images"]) {
    assert.equal(describe(code).next, "Use a PNG or GIF.");
  }
});

test("a message about kept images says which one it means, or how many", () => {
  const fault = describe("unreachable");
  assert.equal(describeKept(fault, undefined), fault);
  assert.equal(describeKept(undefined, { who: "2 images", areMany: true }), undefined);
  const one = describeKept(fault, { who: "a$&.png", areMany: false });
  assert.equal(one.what, "a$&.png is not saved yet: the viewer does not answer.");
  assert.equal(one.next, fault.next);
  const two = describeKept(fault, { who: "2 images", areMany: true });
  assert.equal(two.what, "2 images are not saved yet: the viewer does not answer.");
  assert.equal(two.next, "Start it, then try again. The images are kept here.");
  assert.equal(two.action, "retry");
});

test("images that can be sent again are kept, and the message says so; others are not", () => {
  for (const code of [
    "unreachable",
    "disk-full",
    "too-many-requests",
    "folder-refused",
    "not-ready",
    "internal-error",
  ]) {
    const { what, next, action } = describe(code);
    assert.match(what, /^Not saved yet: /, code);
    assert.match(next, /The image is kept here\./, code);
    assert.equal(action, "retry", code);
    assert.equal(canTryAgain({ code }), true, code);
  }
  for (const code of ["not-an-image", "image-too-large", "image-damaged", "payload-too-large"]) {
    assert.match(describe(code).what, /^Nothing was saved: /, code);
    assert.equal(canTryAgain({ code }), false, code);
  }
});

test("a page whose token has expired offers to reload", () => {
  for (const code of ["page-token-wrong", "page-token-needed", "other-project"]) {
    assert.equal(describe(code).action, "reload", code);
  }
});

test("the message about a failed rename is about the name, not the image", () => {
  const { what, next, action } = describe("unreachable", {}, "rename");
  assert.equal(what, "The name was not changed: the viewer does not answer.");
  assert.equal(next, "Start it, then try again.");
  assert.equal(action, undefined);
  assert.match(describe("paste-gone", {}, "rename").what, /no longer there/);
});

test("on a phone no message asks for keys or for dropping", () => {
  const describeTouch = (code: string) =>
    describeFault(new ViewerFault(code), { doing: "save", keys: "Ctrl V", isTouch: true, limits });
  assert.equal(describeTouch("clipboard-text").next, "Take the screenshot again, then add it here.");
  assert.equal(describeTouch("clipboard-refused").next, "Choose a picture instead.");
  assert.equal(describe("clipboard-refused").next, "Press Ctrl V instead.");
  assert.equal(describeTouch("image-too-large").next, "Make it smaller, then choose it here.");
});

test("a failed search says so, and offers no image to send again", () => {
  const { what, next, action } = describe("unreachable", {}, "search");
  assert.equal(`${what} ${next}`, "Nothing was searched: the viewer does not answer. Start it, then try again.");
  assert.equal(action, undefined);
  assert.equal(describe("too-many-requests", {}, "list").what, "No more were listed: the viewer is busy.");
});

test("an answer without a problem is described by its status", () => {
  assert.equal(faultOf(415, { code: "not-an-image" }).code, "not-an-image");
  assert.equal(faultOf(413, undefined).code, "payload-too-large");
  assert.equal(faultOf(502, undefined).code, "internal-error");
  const { what } = describeFault(faultOf(403, { code: "foreign-page", detail: "Not from there." }), {
    doing: "save",
    keys: "Ctrl V",
  });
  assert.equal(what, "Nothing was saved. Not from there.");
});

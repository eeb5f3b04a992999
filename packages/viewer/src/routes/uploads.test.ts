import assert from "node:assert/strict";
import { test } from "node:test";
import { PAGE_PATH, type Paste } from "@backplane/contract/viewer";
import { codeOf, formOf, jsonOf, pngOf, startViewer } from "./viewer-under-test.suite.ts";

test("an image as the body becomes two files: 201 with its address and first name", async (t) => {
  const viewer = await startViewer(t);
  const answer = await viewer.upload(await pngOf(), "image/png", "?title=Board%20bring-up&instance=panel-3");
  assert.equal(answer.status, 201);
  const paste: Paste = jsonOf(answer);
  assert.match(paste.name, /^sp-\d{8}-\d{6}-\d{3}$/);
  assert.deepEqual([paste.title, paste.instance, paste.status], ["Board bring-up", "panel-3", "naming"]);
  assert.equal(answer.headers.location, `${PAGE_PATH}/${paste.id}`);
  assert.equal(answer.headers["cache-control"], "no-store");
  const names = [`${paste.name}-40x30-original.png`, `${paste.name}-40x30.png`];
  assert.deepEqual((await viewer.files()).sort(), names);
  assert.deepEqual(
    viewer.waiting.map(({ id }) => id),
    [paste.id],
  );
  assert.deepEqual(await viewer.incoming(), []);
});

test("the type is recognised from the bytes, whatever image type the sender says", async (t) => {
  const viewer = await startViewer(t);
  for (const type of ["application/octet-stream", "image/jpeg", "IMAGE/PNG; charset=x"]) {
    const answer = await viewer.upload(await pngOf(), type);
    assert.deepEqual([answer.status, jsonOf(answer).pasted?.type], [201, "image/png"], type);
  }
});

test("a form with the field image is accepted, with its texts before or after the image", async (t) => {
  const viewer = await startViewer(t);
  const image = { name: "image", file: "a.png", type: "image/png", value: await pngOf() };
  const title = { name: "title", value: "From the form ✓" };
  const instance = { name: "instance", value: "panel-3" };
  const unknown = { name: "colour", value: "red" };
  const bare = { name: "image", value: image.value };
  for (const parts of [[image], [title, image], [image, title, instance], [bare], [unknown, image]]) {
    const { body, type } = formOf(parts);
    const answer = await viewer.upload(body, type, "?title=From%20the%20address");
    assert.equal(answer.status, 201, answer.body.toString());
    const isNamed = parts.some((part) => part.name === "title");
    assert.equal(jsonOf(answer).title, isNamed ? "From the form ✓" : "From the address");
  }
  assert.deepEqual(await viewer.incoming(), []);
});

test("the error about an invalid form names the field, and no files are left", async (t) => {
  const viewer = await startViewer(t);
  const value = await pngOf();
  const image = { name: "image", file: "a.png", type: "image/png", value };
  const rows: [parts: Parameters<typeof formOf>[0], pointer: string][] = [
    [[], "/image"],
    [[{ name: "photo", file: "a.png", value }], "/image"],
    [[image, image], "/image"],
    [[image, { name: "title", value: "x".repeat(201) }], "/title"],
    [[image, { name: "title", value: "x".repeat(5_000) }], "/title"],
    [[image, { name: "title", value: "a\u0007b" }], "/title"],
    [[{ name: "instance", value: "x".repeat(65) }, image], "/instance"],
    [[image, { name: "title", value: "a" }, { name: "title", value: "b" }], "/title"],
    [[{ name: "image", file: "a.png", value: "" }], "/image"],
    [[{ name: "title", value: "only" }], "/image"],
  ];
  for (const [parts, pointer] of rows) {
    const { body, type } = formOf(parts);
    const answer = await viewer.upload(body, type);
    assert.deepEqual(
      [...codeOf(answer), jsonOf(answer).errors?.[0]?.pointer],
      [422, "invalid-input", pointer],
      `${pointer} ${answer.body}`,
    );
  }
  const many = formOf([...Array(50).keys()].map((n) => ({ name: `f${n}`, value: "x" })));
  assert.deepEqual(codeOf(await viewer.upload(many.body, many.type)), [413, "payload-too-large"]);
  const broken = formOf([image]);
  for (const [body, type] of [
    [broken.body.subarray(0, broken.body.length - 40), broken.type],
    [broken.body, "multipart/form-data"],
    [Buffer.from("nothing of the kind"), broken.type],
    [formOf([{ name: "__proto__", value: "x" }]).body, broken.type],
  ] as const) {
    assert.equal(codeOf(await viewer.upload(body, type))[0], 400, type);
  }
  assert.deepEqual([await viewer.incoming(), await viewer.files(), viewer.pastes.newest()], [[], [], undefined]);
});

test("a form with a part whose headers do not end is refused, leaves no files, and frees its place", async (t) => {
  const viewer = await startViewer(t, { limits: { maxUploadsUnderWay: 1, formEndsWithinMs: 500 } });
  const image = { name: "image", file: "a.png", value: await pngOf() };
  const { body, type } = formOf([image]);
  const endless = Buffer.from('------form-of-a-test\r\ncontent-disposition: form-data; name="title"\r\n\r\n');
  for (const [what, bytes] of [
    ["a part without a body", Buffer.concat([endless, body])],
    ["a form in a form", formOf([{ ...image, value: body }]).body],
  ] as const) {
    assert.deepEqual(codeOf(await viewer.upload(bytes, type)), [400, "malformed-request"], what);
    assert.deepEqual([await viewer.incoming(), await viewer.files()], [[], []], what);
  }
  assert.equal((await viewer.upload(body, type)).status, 201);
});

test("reading a form does not log the token, at any level", async (t) => {
  const viewer = await startViewer(t);
  const { body, type } = formOf([{ name: "image", file: "a.png", value: await pngOf() }]);
  const token = viewer.tokens.make();
  const headers = { "x-viewer-token": token, "content-type": type, "x-other": "cAnArY" };
  assert.equal((await viewer.ask(PAGE_PATH, { method: "POST", headers, body })).status, 201);
  const log = viewer.lines.join("");
  assert.match(log, /busboy/);
  assert.ok(!log.includes(token) && !log.includes("cAnArY"));
});

test("an empty body is 422 /image", async (t) => {
  const viewer = await startViewer(t);
  for (const type of ["image/png", "", "text/plain"]) {
    const headers = { ...viewer.page(), ...(type === "" ? {} : { "content-type": type }) };
    const answer = await viewer.ask(PAGE_PATH, { method: "POST", headers });
    assert.deepEqual(
      [...codeOf(answer), jsonOf(answer).errors],
      [422, "invalid-input", [{ pointer: "/image", message: "is missing" }]],
    );
  }
  const chunked = { ...viewer.page(), "content-type": "image/png", "transfer-encoding": "chunked" };
  const empty = await viewer.ask(PAGE_PATH, { method: "POST", headers: chunked });
  assert.deepEqual([...codeOf(empty), jsonOf(empty).errors[0].message], [422, "invalid-input", "is empty"]);
  assert.deepEqual(await viewer.incoming(), []);
});

test("20 wrong content types are refused with 415 and what is accepted, and nothing is saved", async (t) => {
  const viewer = await startViewer(t);
  const types = [
    ...["text/plain", "text/html", "text/css", "text/csv", "text/xml", "application/json", "application/pdf"],
    ...["application/zip", "application/xml", "application/x-www-form-urlencoded", "application/javascript"],
    ...["application/msword", "application/wasm", "application/x-tar", "audio/mpeg", "audio/wav", "video/mp4"],
    ...["video/webm", "font/woff2", "multipart/mixed; boundary=x", "model/gltf-binary", "message/http"],
  ];
  for (const type of types) {
    const answer = await viewer.upload(await pngOf(), type);
    assert.deepEqual(codeOf(answer), [415, "unsupported-media-type"], type);
    assert.match(jsonOf(answer).detail, /image\/png.*field image/);
  }
  assert.deepEqual(codeOf(await viewer.upload(await pngOf(), "image")), [415, "unsupported-media-type"]);
  const untyped = await viewer.ask(PAGE_PATH, { method: "POST", headers: viewer.page(), body: await pngOf() });
  assert.deepEqual(codeOf(untyped), [415, "unsupported-media-type"]);
  assert.deepEqual([await viewer.incoming(), await viewer.files()], [[], []]);
});

test("20 other kinds of file that claim to be images are refused: 415 not-an-image", async (t) => {
  const viewer = await startViewer(t);
  const hex = (text: string) => Buffer.concat([Buffer.from(text.replaceAll(" ", ""), "hex"), Buffer.alloc(600, 7)]);
  const files: Record<string, Buffer> = {
    text: Buffer.from("Just some text, and a little more of it."),
    json: Buffer.from('{"image": true}'),
    html: Buffer.from("<!doctype html><title>no</title><img src=x>"),
    xml: Buffer.from('<?xml version="1.0"?><note/>'),
    pdf: hex("255044462d312e37"),
    zip: hex("504b0304140000000800"),
    gzip: hex("1f8b0800000000000003"),
    bzip2: hex("425a683931415926"),
    xz: hex("fd377a585a00"),
    "7z": hex("377abcaf271c"),
    rar: hex("526172211a0700"),
    elf: hex("7f454c46020101"),
    exe: hex("4d5a90000300"),
    wasm: hex("0061736d01000000"),
    mp3: hex("494433040000"),
    wav: hex("52494646 24080000 57415645 666d7420"),
    mp4: hex("00000018 66747970 69736f6d"),
    webm: hex("1a45dfa3"),
    sqlite: Buffer.concat([Buffer.from("SQLite format 3\0"), Buffer.alloc(600)]),
    woff2: hex("774f4632"),
    zeros: Buffer.alloc(4_096),
    psd: hex("38425053 0001"),
  };
  for (const [kind, bytes] of Object.entries(files)) {
    assert.deepEqual(codeOf(await viewer.upload(bytes)), [415, "not-an-image"], kind);
  }
  assert.deepEqual([await viewer.incoming(), await viewer.files()], [[], []]);
  assert.equal((await viewer.upload(await pngOf())).status, 201);
});

test("title and instance have limits: 400 /title, /instance", async (t) => {
  const viewer = await startViewer(t);
  for (const [query, pointer] of [
    [`?title=${"x".repeat(201)}`, "/title"],
    [`?instance=${"x".repeat(65)}`, "/instance"],
    ["?title=a&title=b", "/title"],
    ["?title=%00", "/title"],
  ] as const) {
    const answer = await viewer.upload(await pngOf(), "image/png", query);
    assert.deepEqual([...codeOf(answer), jsonOf(answer).errors[0].pointer], [400, "invalid-parameter", pointer], query);
  }
  assert.equal(jsonOf(await viewer.upload(await pngOf(), "image/png", "?title=&instance=")).title, null);
});

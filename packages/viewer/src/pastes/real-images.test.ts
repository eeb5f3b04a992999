import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import { Problem } from "@backplane/kit/problems";
import sharp from "sharp";
import { assertSameBytes } from "../../../../scripts/testing/same-bytes.ts";
import { createImages } from "../images/images.ts";
import { NOW_MS, newProject, open, pairFiles } from "./pastes-under-test.suite.ts";
import { realDisk } from "./storage/disk.ts";

it("a real picture on a real disk: two files with one name, the original byte for byte, then compressed further", async (t) => {
  const project = await newProject(t);
  const images = createImages();
  t.after(() => images.close());
  const pastes = await open(project, { images, disk: realDisk });
  const add = async (bytes: Buffer, file: string) => {
    const path = join(pastes.incomingFolder, file);
    await writeFile(path, bytes);
    return pastes.add({ path, bytes: bytes.length, title: null, instance: null, receivedAtMs: NOW_MS });
  };
  const screen = Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="2000" height="1000"><rect width="2000" height="1000" fill="#223"/>
    <text x="80" y="200" font-size="90" fill="#fff">Connection refused</text><circle cx="1500" cy="600" r="300" fill="#e80"/></svg>`,
  );
  const png = await sharp(screen).png().toBuffer();
  const { id } = await add(png, "upload-1");
  const squeezed = Promise.withResolvers<void>();
  pastes.onChange((event) => {
    if (event.type === "paste" && event.paste.status === "named" && event.paste.namedBy === "you") squeezed.resolve();
  });
  await pastes.finishNaming(id, {
    text: "Connection refused",
    suggestions: ["connection-refused"],
    name: null,
    by: null,
  });
  const named = await pastes.rename(id, "Connection refused", "you");
  await squeezed.promise;
  assert.deepEqual(await pairFiles(project), [
    "connection-refused-1568x784.png",
    "connection-refused-2000x1000-original.png",
  ]);
  assertSameBytes(await readFile(join(project, named.original.path)), png);
  const { width, height, format } = await sharp(await readFile(join(project, named.optimized.path))).metadata();
  assert.deepEqual([width, height, format], [1568, 784, "png"]);
  assert.ok((await pastes.thumbnail(id)).length > 100);

  await assert.rejects(
    add(Buffer.from("no image"), "upload-2"),
    (error) => error instanceof Problem && error.status < 500,
  );
  await pastes.close();
  const again = await open(project, { images });
  assert.equal(again.list({ limit: 9 }).pastes.length, 1);
});

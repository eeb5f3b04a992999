import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createConnect, createGuard, type Resolve } from "@backplane/kit/guard";
import { type CameraOptions, startCamera } from "@backplane/simulators";
import { until } from "../../../../../scripts/testing/until.ts";
import { STREAM_ADAPTERS } from "../kinds.ts";
import type { Picture } from "../picture.ts";
import type { CodecWords, StreamTools } from "../source.ts";

const SPS = Buffer.from([0x67, 77, 0, 30]);
const PPS = Buffer.from([0x68, 0xce]);
const KEY: Picture = { tMs: 40, isKey: true, units: [Buffer.alloc(3_000, 0x65)] };
const NEXT: Picture = { tMs: 80, isKey: false, units: [Buffer.from([0x41, 0xc0, 7])] };
/** first_mb_in_slice 0, slice type 1. */
const BETWEEN: Picture = { tMs: 120, isKey: false, units: [Buffer.from([0x41, 0xa0, 0])] };

async function open(
  t: TestContext,
  options: Partial<CameraOptions> & { pictures?: Picture[]; allow?: string[]; resolveName?: Resolve } = {},
  settings: Record<string, unknown> = {},
  password?: string,
) {
  const { pictures: shown = [KEY, NEXT], allow = ["127.0.0.0/8"], resolveName, ...rest } = options;
  const camera = await startCamera({
    ...{ port: 0, parameters: [SPS, PPS], ...rest },
    open(onPicture) {
      for (const picture of shown) onPicture(picture);
      return () => {};
    },
  });
  const guard = createGuard({
    ...{ allow, baseUrl: "http://localhost:8790", framesUrl: "http://*.localhost:8790" },
    ...(resolveName ? { resolveName } : {}),
  });
  const tools = { network: { guard, connect: createConnect(guard) } } as unknown as StreamTools;
  const seen = {
    pictures: [] as Picture[],
    codecs: [] as CodecWords[],
    ended: undefined as string | undefined,
    refused: undefined as string | undefined,
  };
  const rtsp = STREAM_ADAPTERS.find(({ kind }) => kind === "rtsp");
  assert.ok(rtsp && "open" in rtsp);
  const stream = rtsp.open(
    { address: resolveName ? camera.address.replace("127.0.0.1", "camera.example.org") : camera.address, ...settings },
    password === undefined ? {} : { password },
    tools,
    {
      codec: (codec) => seen.codecs.push(codec),
      picture: (picture) => seen.pictures.push(picture),
      ended: (reason) => {
        seen.ended = reason;
      },
      refused: (codec) => {
        seen.refused = codec;
      },
    },
  );
  t.after(async () => {
    stream.close();
    await camera.close();
  });
  return { camera, seen, stream };
}

test("a camera is played: its parameters are before the key picture, its profile is named", async (t) => {
  const { seen, camera, stream } = await open(t);
  await until("both pictures are there", () => seen.pictures.length === 2);
  assert.deepEqual(seen.pictures[0]?.units, [SPS, PPS, ...KEY.units]);
  assert.deepEqual(
    seen.pictures.map(({ tMs, isKey }) => [Math.round(tMs), isKey]),
    [
      [0, true],
      [40, false],
    ],
  );
  assert.deepEqual(seen.codecs.at(-1), { name: "H.264", profile: "main" });
  stream.close();
  await until("nobody looks", () => camera.viewers() === 0);
  assert.equal(seen.ended, undefined);
});

test("with user and password; a wrong one and none are said as what they are", async (t) => {
  const guarded = { user: "admin", password: "hunter2" };
  const right = await open(t, guarded, { user: "admin" }, "hunter2");
  await until("it plays", () => right.seen.pictures.length === 2);
  const wrong = await open(t, guarded, { user: "admin" }, "letmein");
  await until("it is refused", () => wrong.seen.ended !== undefined);
  assert.match(wrong.seen.ended ?? "", /does not accept this user name and password/);
  const none = await open(t, guarded);
  await until("it is refused", () => none.seen.ended !== undefined);
  assert.match(none.seen.ended ?? "", /wants a user name and a password/);
});

test("codecs and B-frames that browsers do not play are named", async (t) => {
  for (const [options, name] of [
    [{ encoding: "H265" }, "H.265"],
    [{ encoding: "JPEG" }, "JPEG"],
    [{ pictures: [KEY, NEXT, BETWEEN] }, "H.264 with B-frames"],
  ] as const) {
    const { seen } = await open(t, options as Partial<CameraOptions>);
    await until(`${name} is refused`, () => seen.refused !== undefined);
    assert.deepEqual([seen.refused, seen.ended], [name, undefined]);
  }
});

test("a camera without power, a wrong path, a closed port and a private address are said as what they are", async (t) => {
  const { seen, camera } = await open(t);
  await until("it plays", () => seen.pictures.length === 2);
  camera.cut();
  await until("it ends", () => seen.ended !== undefined);
  assert.match(seen.ended ?? "", /closed the connection|broke the connection/);
  const path = await open(t, {}, { address: `${camera.address.replace("/main", "/nothing")}` });
  await until("it is refused", () => path.seen.ended !== undefined);
  assert.match(path.seen.ended ?? "", /nothing at this address/);
  const closed = await open(t, {}, { address: "rtsp://127.0.0.1:1024/" });
  await until("it is refused", () => closed.seen.ended !== undefined);
  assert.match(closed.seen.ended ?? "", /Nothing listens at 127\.0\.0\.1:1024/);
  const inside = await open(t, { allow: [] });
  await until("it is refused", () => inside.seen.ended !== undefined);
  assert.match(inside.seen.ended ?? "", /adds it to STREAM_ALLOW/);
});

test("a name that leads elsewhere later is checked at every connection, and is asked for once by each", async (t) => {
  let asked = 0;
  const leadsTo =
    (...addresses: string[]): Resolve =>
    async () => {
      asked += 1;
      return addresses.map((one) => ({ address: one, family: 4 }));
    };
  const allowed = await open(t, { resolveName: leadsTo("127.0.0.1") });
  await until("it plays", () => allowed.seen.pictures.length === 2);
  assert.equal(asked, 1, "what was checked is what is connected to");
  for (const addresses of [["10.0.0.1"], ["127.0.0.1", "10.0.0.1"], ["169.254.169.254"]]) {
    const { seen } = await open(t, { resolveName: leadsTo(...addresses) });
    await until("it is refused", () => seen.ended !== undefined);
    assert.match(seen.ended ?? "", /adds it to STREAM_ALLOW/);
    assert.deepEqual(seen.pictures, []);
  }
  assert.equal(asked, 4);
});

test("a camera that sends far too many pictures is ended with the reason", async (t) => {
  // So many that a slow machine does not take them for a usual camera.
  const pictures = Array.from({ length: 3_000 }, () => ({ ...KEY, units: [Buffer.from([0x65, 1])] }));
  const { seen } = await open(t, { pictures });
  await until("it is ended", () => seen.ended !== undefined);
  assert.match(seen.ended ?? "", /more than 64 Mbit\/s, or very many small pieces/);
  assert.ok(seen.pictures.length < pictures.length);
});

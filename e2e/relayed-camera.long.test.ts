// A browser that gets pictures only through a TURN server, with a name and password that Backplane made for it.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { findTurnServer, freePort } from "../scripts/services/index.ts";
import { slotOf } from "./panels/bench.ts";
import { Program, plainEnvironment } from "./support/backplane.ts";
import { type CameraBench, openCameraBench, plays } from "./support/cameras.ts";
import { readNumbers } from "./support/numbered-pictures.ts";
import { until } from "./support/processes.ts";

const REPO = "relayed";
const SECRET = "north of the river";

let turn: Program;
let folder: string;
let bench: CameraBench;
let page: Page;

before(async () => {
  const port = await freePort();
  folder = await mkdtemp(join(tmpdir(), "backplane-turn-"));
  const args = [
    ...["-n", "--no-cli", "--no-tls", "--no-dtls", "--log-file=stdout", "--simple-log", "--verbose"],
    ...["--listening-ip=127.0.0.1", "--relay-ip=127.0.0.1", `--listening-port=${port}`, "--allow-loopback-peers"],
    ...["--use-auth-secret", `--static-auth-secret=${SECRET}`, "--realm=backplane", `--pidfile=${join(folder, "pid")}`],
    `--userdb=${join(folder, "turndb")}`,
  ];
  turn = new Program(await findTurnServer(), args, { cwd: folder, env: plainEnvironment() });
  await turn.prints(/listener opened on: 127\.0\.0\.1/i);
  const settings = { STREAM_TURN: `turn:127.0.0.1:${port}?transport=tcp`, STREAM_TURN_SECRET: SECRET };
  bench = await openCameraBench(REPO, "one instance, embedded", settings);
  page = bench.page;
  assert.equal((await bench.ask("POST", "/streams", { name: "bench", kind: "test" })).status, 201);
  await page.addInitScript(onlyRelayed);
  await page.reload();
});
after(async () => {
  await bench?.[Symbol.asyncDispose]();
  await turn?.[Symbol.asyncDispose]();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

/** As in a network that lets nothing through but the TURN server. */
function onlyRelayed(): void {
  const forced = (given: RTCConfiguration = {}): RTCConfiguration => ({ ...given, iceTransportPolicy: "relay" });
  const all: RTCPeerConnection[] = [];
  class Relayed extends RTCPeerConnection {
    constructor(given?: RTCConfiguration) {
      super(forced(given));
      all.push(this);
    }
    override setConfiguration(given?: RTCConfiguration): void {
      super.setConfiguration(forced(given));
    }
  }
  Object.assign(globalThis, { RTCPeerConnection: Relayed, connections: all });
}

suite("a camera through a TURN server", { concurrency: 1 }, () => {
  let slot: Locator;

  test("it plays by WHEP, though the browser may use nothing but the relay", async () => {
    const { tabId } = await bench.driver.open("webrtc-player", { initialState: { stream: "bench" } });
    slot = slotOf(page, tabId);
    await plays(slot);
    const numbers = await readNumbers(slot, 60);
    assert.ok((numbers.at(-1)?.number ?? 0) > (numbers[0]?.number ?? 0), "it moves");
    const used = await page.evaluate(async () => {
      const { connections } = globalThis as unknown as { connections: RTCPeerConnection[] };
      const stats = [...((await connections.at(-1)?.getStats())?.values() ?? [])];
      const pair = stats.find(
        ({ type, nominated, state }) => type === "candidate-pair" && nominated && state === "succeeded",
      );
      const local = stats.find(({ id }) => id === pair?.localCandidateId);
      return [local?.candidateType, local?.relayProtocol];
    });
    assert.deepEqual(used, ["relay", "tcp"]);
    await until(() => /ALLOCATE processed, success/.test(turn.output), "the TURN server has served somebody");
  });

  test("the name ends within an hour, and the secret is nowhere in what the browser gets", async () => {
    const answered = page.waitForResponse((response) => response.url().endsWith("/whep"));
    await page.reload();
    const answer = await answered;
    const link = (await answer.headerValue("link")) ?? "";
    const [, untilS = ""] = /username="(\d+):[\w-]+"/.exec(link) ?? [];
    const leftS = Number(untilS) - Date.now() / 1_000;
    assert.ok(leftS > 0 && leftS <= 3_600, link);
    assert.ok(!link.includes(SECRET) && !(await answer.text()).includes(SECRET));
    await plays(slot);
  });
});

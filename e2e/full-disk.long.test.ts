import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { renameSync } from "node:fs";
import { Agent, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { json } from "node:stream/consumers";
import { after, before, suite, test } from "node:test";
import { sampleArchive, sampleMetadata } from "../packages/registry/src/archives/samples.suite.ts";
import { type Person, signInAs } from "./support/person.ts";
import { OWNER, type RunningPlatform, startPlatform } from "./support/platform.ts";
import { until } from "./support/processes.ts";
import { fillDisk, makeReadOnly, noSmallDisks, ON_SMALL_DISKS, seenBy } from "./support/small-disk.ts";

type Answer = {
  status: number;
  code?: string;
  detail?: string;
  checks?: Record<string, string>;
  reasons?: Record<string, string>;
};

const MAX_OPEN_FILES = 100;

suite("an outage of the disk", { concurrency: 1, skip: noSmallDisks() }, () => {
  const stack = new AsyncDisposableStack();
  /** One connection, which stays open: without descriptors there is no second one. */
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let platform: RunningPlatform;
  let owner: Person;
  before(async () => {
    platform = stack.use(await startPlatform({}, ON_SMALL_DISKS));
    stack.defer(() => agent.destroy());
    owner = await signInAs(platform.url);
  });
  after(() => stack.disposeAsync());

  async function call(method: string, path: string, body?: unknown): Promise<Answer> {
    const isArchive = body instanceof Uint8Array;
    const sent = request(`${platform.url}${path}`, {
      ...{ method, agent },
      headers: {
        ...{ origin: platform.url, "sec-fetch-site": "same-origin" },
        // Signing in again would end that session.
        ...(path === "/auth/login" ? {} : { cookie: owner.cookie }),
        ...(body === undefined ? {} : { "content-type": isArchive ? "application/zip" : "application/json" }),
      },
    });
    sent.end(isArchive ? body : JSON.stringify(body));
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      sent.on("response", resolve).on("error", reject);
    });
    const answer = (await json(response)) as object;
    return { ...answer, status: response.statusCode ?? 0 };
  }
  /** The keys and versions whose creation was answered with success. */
  const created = { keys: [] as string[], versions: [] as string[] };
  async function create(kind: keyof typeof created, name: string, path: string, body: unknown): Promise<Answer> {
    const answer = await call("POST", path, body);
    if (answer.status === 201) created[kind].push(name);
    return answer;
  }
  let count = 0;
  const CALLS: Record<string, () => Promise<Answer>> = {
    login: () => call("POST", "/auth/login", OWNER),
    intents: () => call("POST", "/auth/intents", {}),
    keys() {
      const name = `robot ${++count}`;
      return create("keys", name, "/auth/api-keys", { name, scopes: ["read"] });
    },
    publish() {
      const version = `1.0.${++count}`;
      return create("versions", version, "/registry/packages", sampleArchive({ version }));
    },
  };
  const ready = () => call("GET", "/ready");
  const works = async () => {
    await until(async () => (await ready()).status === 200, "it is ready again");
    for (const [name, ask] of Object.entries(CALLS)) assert.match(String((await ask()).status), /^20[01]$/, name);
  };
  async function fails(
    names: readonly string[],
    ...[status, code, detail, again]: [status: number, code: string, detail: RegExp, again?: () => void]
  ): Promise<void> {
    for (const name of names) {
      let answer = await CALLS[name]?.();
      while (again && answer?.status === 201) {
        again();
        answer = await CALLS[name]?.();
      }
      assert.deepEqual([answer?.status, answer?.code], [status, code], name);
      assert.match(answer?.detail ?? "", detail, name);
    }
    // The checks of a moment ago may still be kept.
    let { status: readyStatus, checks, reasons } = await ready();
    const isNotReady = async () => {
      again?.();
      ({ status: readyStatus, checks, reasons } = await ready());
      return readyStatus === 503;
    };
    if (readyStatus !== 503) await until(isNotReady, "it is not ready");
    assert.equal(checks?.disk, "failing");
    assert.match(reasons?.disk ?? "", detail);
  }
  const startedMs = Date.now();
  /** The log tells an outage, once per minute however many calls fail. */
  function assertLogged(code: string): void {
    const isAbout = (line: string) => line.includes('"level":"error"') && line.includes(`"problem":"${code}"`);
    const count = platform.output().split("\n").filter(isAbout).length;
    assert.ok(count >= 1 && count <= 1 + (Date.now() - startedMs) / 60_000, `${count} lines about ${code}`);
  }
  const home = () => seenBy(platform.pid, platform.home);

  test("everything works before it", works);

  test("while the disk is full, sign-in, intents, keys and publishing say so, and all work again when it is not", async () => {
    {
      using _filler = fillDisk(home());
      await fails(Object.keys(CALLS), 507, "disk-full", /^The disk is full\. /);
      assert.equal((await call("GET", "/health")).status, 200);
    }
    await works();
    assertLogged("disk-full");
  });

  test("while the archive folder is full, publishing says so, and works again when it is not", async () => {
    {
      using _filler = fillDisk(`${home()}/archives`);
      await fails(["publish"], 507, "disk-full", /^The disk is full\. /);
      assert.equal((await CALLS.login?.())?.status, 200);
    }
    await works();
  });

  test("while the archive folder is read-only, publishing says so, and works again when it is not", async () => {
    {
      using _disk = makeReadOnly(platform.pid, `${platform.home}/archives`);
      await fails(["publish"], 507, "disk-unavailable", /^The disk is read-only\. /);
    }
    await works();
  });

  test("while the home folder is gone, nothing is written elsewhere, and all works again when it is back", async () => {
    renameSync(home(), `${home()}-away`);
    await until(async () => (await CALLS.login?.())?.status === 507, "sign-in notices it");
    await fails(Object.keys(CALLS), 507, "disk-unavailable", /^A folder or file of Backplane is missing\. /);
    renameSync(`${home()}-away`, home());
    await works();
    assertLogged("disk-unavailable");
  });

  test("without file descriptors, calls on open connections say so, the log has one line, and all works again", async () => {
    execFileSync("prlimit", ["--pid", String(platform.pid), `--nofile=${MAX_OPEN_FILES}:`]);
    const connectMore = () =>
      Array.from({ length: MAX_OPEN_FILES }, () => connect(platform.port, "127.0.0.1").on("error", () => {}));
    const idle = connectMore();
    // Some may become free again at any moment.
    await fails(["publish"], 503, "out-of-descriptors", /^Too many files and connections are open\. /, () => {
      idle.push(...connectMore());
    });
    for (let again = 0; again < 5; again += 1) await CALLS.publish?.();
    for (const socket of idle) socket.destroy();
    await works();
    assert.equal((await fetch(`${platform.url}/health`)).status, 200);
    assertLogged("out-of-descriptors");
  });

  test("nothing that was answered with success is lost", async () => {
    assert.deepEqual(
      [created.keys.length, created.versions.length].map((each) => each >= 6),
      [true, true],
    );
    const listed = JSON.stringify(await call("GET", "/auth/api-keys"));
    for (const name of created.keys) assert.ok(listed.includes(`"${name}"`), name);
    const { identifier } = sampleMetadata();
    for (const version of created.versions) {
      const archive = await fetch(`${platform.url}/registry/archives/${identifier}/${version}.zip`);
      assert.deepEqual([archive.status, Buffer.from(await archive.arrayBuffer())], [200, sampleArchive({ version })]);
    }
  });
});

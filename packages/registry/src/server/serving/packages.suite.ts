import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { get as httpGet } from "node:http";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import {
  type NewSecretAddress,
  type Package,
  type PackageDetails,
  type PublishedVersion,
  type RegistryFacts,
  type Repository,
  SCHEMA_V2_MEDIA_TYPE,
  type SearchAnswer,
} from "@backplane/contract/registry";
import type { ProblemBody } from "@backplane/kit/problems";
import { ruleTest } from "../../../../../scripts/testing/rules.ts";
import { assertSameBytes } from "../../../../../scripts/testing/same-bytes.ts";
import { SAMPLE_ICON, sampleArchive } from "../../archives/samples.suite.ts";
import { createChecker } from "../../metadata/check.ts";
import { BASE_URL, openRegistry, published, type Stage } from "./registry-under-test.suite.ts";

const ONE = "org.example.one";
const LARGE = "org.example.large";
const ARCHIVE = `/registry/archives/${ONE}/${ONE}-1.0.0.zip`;
const codeOf = async (response: Response) => [response.status, ((await response.json()) as { code: string }).code];

/** Otherwise the server has sent everything before the client breaks off. */
const MORE_THAN_SOCKETS_BUFFER = 16 * 1024 * 1024;

/** Reads the beginning of an answer, then closes the connection. */
const breakOff = (url: string): Promise<void> =>
  new Promise((resolve, reject) => {
    httpGet(url, { agent: false }, (response) => {
      response.once("data", () => response.destroy());
      response.once("close", resolve);
    }).once("error", reject);
  });

/** As a client at another address. */
const getFrom = (localAddress: string, url: string): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    httpGet(url, { localAddress, agent: false }, (response) => resolve(buffer(response))).once("error", reject);
  });

export function testPackages(stage: Stage): void {
  const rule = ruleTest(stage.name);
  rule(
    `${stage.name}: archives are served as they were published, whole or in part (206, 416, If-Range, HEAD)`,
    async (t) => {
      const under = await openRegistry(t, stage);
      await published(under, { identifier: ONE }, { identifier: ONE, version: "0.1", epoch: 2 });
      const bytes = sampleArchive({ identifier: ONE });
      const etag = `"${createHash("sha256").update(bytes).digest("hex")}"`;
      const get = async (headers: Record<string, string> = {}, method = "GET") => {
        const response = await under.get(ARCHIVE, headers, method);
        return { response, body: Buffer.from(await response.arrayBuffer()) };
      };
      const whole = await get();
      assertSameBytes(whole.body, bytes);
      assert.deepEqual(
        ["etag", "content-type", "content-disposition", "cache-control", "accept-ranges", "content-encoding"].map(
          (name) => whole.response.headers.get(name),
        ),
        [
          etag,
          "application/zip",
          `attachment; filename="${ONE}-1.0.0.zip"`,
          "public, max-age=31536000, immutable",
          "bytes",
          null,
        ],
      );
      const size = bytes.length;
      for (const [range, start, end] of [
        ["bytes=0-9", 0, 9],
        ["bytes=10-", 10, size - 1],
        ["bytes=-5", size - 5, size - 1],
        [`bytes=5-${size * 2}`, 5, size - 1],
        [`bytes=-${size * 2}`, 0, size - 1],
      ] as const) {
        const { response, body } = await get({ range });
        assert.deepEqual(
          [response.status, response.headers.get("content-range")],
          [206, `bytes ${start}-${end}/${size}`],
        );
        assertSameBytes(body, bytes.subarray(start, end + 1), range);
      }
      for (const range of ["bytes=0-1,3-4", "lines=1-2", "bytes=9-2", "bytes=-", "bytes=a-b"]) {
        assert.deepEqual(
          [(await get({ range })).response.status, (await get({ range })).body.length],
          [200, size],
          range,
        );
      }
      for (const range of [`bytes=${size}-`, "bytes=-0"]) {
        const refused = await under.get(ARCHIVE, { range });
        assert.equal(refused.headers.get("content-range"), `bytes */${size}`);
        assert.deepEqual(await codeOf(refused), [416, "range-not-satisfiable"]);
      }
      assert.equal((await get({ range: "bytes=0-1", "if-range": etag })).response.status, 206);
      assert.equal((await get({ range: "bytes=0-1", "if-range": '"other"' })).response.status, 200);
      assert.equal((await get({ "if-none-match": etag })).response.status, 304);
      const head = await get({ range: "bytes=0-1" }, "HEAD");
      assert.deepEqual([head.response.status, head.response.headers.get("content-length")], [200, String(size)]);
      const earlier = ["1.zip", "1.0.zip", "1.0.0.zip", "2-0.1.0.zip"];
      const spellings = [...earlier, `${ONE}-1.zip`, `${ONE.toUpperCase()}-1.0.0.zip`, `${ONE}-2-0.1.zip`];
      for (const file of spellings) {
        assert.equal((await under.get(`/registry/archives/${ONE.toUpperCase()}/${file}`)).status, 200, file);
      }
      for (const file of [
        "3.0.zip",
        `${ONE}-3.0.zip`,
        `${LARGE}-1.0.0.zip`,
        "0.1.zip",
        "1.0.0",
        "x.zip",
        "..%2f..%2fx.zip",
      ]) {
        assert.deepEqual(await codeOf(await under.get(`/registry/archives/${ONE}/${file}`)), [404, "version-unknown"]);
      }
      assert.deepEqual(await codeOf(await under.get("/registry/archives/no.such/1.zip")), [404, "package-unknown"]);
      const list = (await (await under.get("/registry/packages.json")).json()) as { packages: Package[] };
      assert.deepEqual(
        list.packages.flatMap(({ versions }) => versions.map(({ download_url }) => download_url)),
        [`${ONE}-2-0.1.zip`, `${ONE}-1.0.0.zip`].map((file) => `${BASE_URL}/registry/archives/${ONE}/${file}`),
      );
    },
  );

  test(`${stage.name}: while the tables cannot be read, nothing is called unknown; what is listed is served`, async (t) => {
    const under = await openRegistry(t, stage);
    await published(under, { identifier: ONE });
    const { schema } = under.first.database.durable;
    await schema.alterTable("registry_state").renameTo("away").execute();
    for (const _turn of ["first", "after a failure"]) {
      for (const path of ["packages/no.such", "archives/no.such/1.zip", `archives/${ONE}/7.0.zip`]) {
        assert.ok((await under.get(`/registry/${path}`)).status >= 500, path);
      }
      assert.equal((await under.get(`/registry/packages/${ONE}`)).status, 200);
    }
    await schema.alterTable("away").renameTo("registry_state").execute();
    for (const instance of [under.first, under.last]) await instance.stop();
    under.faults.length = 0;
  });

  test(`${stage.name}: a whole download counts once per client and day; ranges, 304, HEAD and broken-off ones do not`, async (t) => {
    const under = await openRegistry(t, stage);
    const large = { "plugins/large": Buffer.alloc(MORE_THAN_SOCKETS_BUFFER) };
    await published(under, { identifier: ONE }, { identifier: LARGE, files: large, store: true });
    const whole = async (headers: Record<string, string> = {}, at = under.last) =>
      (await under.get(ARCHIVE, headers, "GET", at)).arrayBuffer();
    const etag = (await under.get(ARCHIVE, {}, "HEAD")).headers.get("etag") ?? "";
    for (const range of ["bytes=0-3", "bytes=0-", "bytes=4-"]) await whole({ range });
    await whole({ "if-none-match": etag });
    await breakOff(`${under.last.url}/registry/archives/${LARGE}/1.0.0.zip`);
    await Promise.all([whole(), whole({}, under.first), whole()]);
    await getFrom("127.0.0.2", `${under.last.url}${ARCHIVE}`);
    const counted = async (at: { url: string }) => {
      const found = (await (await under.get("/registry/search", {}, "GET", at)).json()) as SearchAnswer;
      return Object.fromEntries(found.packages.map(({ identifier, downloads }) => [identifier, downloads]));
    };
    // Either instance may have counted the first client, a moment after that has the last byte. The other learns it in minutes.
    const instances = [...new Set([under.first, under.last])];
    const sum = async () => {
      const counts = await Promise.all(instances.map(counted));
      return counts.reduce((all, { [ONE]: count = 0 }) => all + count, 0);
    };
    while ((await sum()) < 2) await sleep(5);
    for (const instance of instances) await instance.stop();
    const again = await under.start();
    const details = await under.get(`/registry/packages/${ONE}/details`, {}, "GET", again);
    const { downloads, versions } = (await details.json()) as PackageDetails;
    assert.deepEqual([downloads, versions[0]?.downloads], [2, 2], "two clients; the counts outlive the process");
    assert.deepEqual(await counted(again), { [ONE]: 2, [LARGE]: 0 });
  });

  rule(
    `${stage.name}: the screenshots in resources/ of an archive are served as they are, and gone when it is unpublished`,
    async (t) => {
      const under = await openRegistry(t, stage);
      const png = (width: number) => {
        const bytes = Buffer.concat([SAMPLE_ICON, Buffer.alloc(64, width % 251)]);
        bytes.writeUInt32BE(width, 16);
        return bytes;
      };
      const files = {
        "plugins/a.py": "print()\n",
        "resources/screenshots/2-board.png": png(640),
        "resources/screenshots/1-stack.png": png(320),
        "resources/screenshot.png": png(160),
        "resources/toolbar.png": png(24),
        "resources/screenshots/notes.png": "text",
        "resources/screenshots/huge.png": png(4097),
      };
      await published(under, { identifier: ONE, files }, { identifier: ONE, version: "0.9", files, store: true });
      const details = (await (await under.get(`/registry/packages/${ONE}/details`)).json()) as PackageDetails;
      for (const { screenshots } of details.versions) {
        assert.deepEqual(
          screenshots.map(({ name, width, height }) => [name, width, height]),
          [
            ["screenshot", 160, 1],
            ["1-stack", 320, 1],
            ["2-board", 640, 1],
          ],
        );
      }
      const [first] = details.versions[0]?.screenshots ?? [];
      const address = `/registry/packages/${ONE}/screenshots/${first?.sha256}.png`;
      for (const _version of ["deflated", "stored"]) {
        const picture = await under.get(address);
        assert.equal(picture.headers.get("content-type"), "image/png");
        assertSameBytes(Buffer.from(await picture.arrayBuffer()), png(160));
        const [{ version } = { version: "" }] = details.versions.splice(0, 1);
        await under.unpublish(ONE, version, "Leaked.");
      }
      assert.deepEqual(await codeOf(await under.get(address)), [404, "not-found"]);
      assert.equal((await under.get(`/registry/packages/${ONE}/screenshots/x.png`)).status, 400);
    },
  );

  test(`${stage.name}: a private package is nowhere but for its owner and at a secret address, until that is removed`, async (t) => {
    const under = await openRegistry(t, stage);
    await published(under, { identifier: ONE });
    const secret = "org.example.secret";
    const posted = await fetch(`${under.first.url}/registry/packages?private=true`, {
      method: "POST",
      headers: { authorization: "Bearer ada", "content-type": "application/zip" },
      body: new Uint8Array(sampleArchive({ identifier: secret })),
    });
    assert.equal(posted.status, 201);
    assert.equal(((await posted.json()) as PublishedVersion).private, true);
    const at = under.first;
    const read = async (path: string, user?: string) => {
      const response = await under.get(path, user === undefined ? {} : { authorization: `Bearer ${user}` }, "GET", at);
      return { status: response.status, text: await response.text(), headers: response.headers };
    };
    const archive = `/registry/archives/${secret}/${secret}-1.0.0.zip`;
    const pages = [`/registry/packages/${secret}`, `/registry/packages/${secret}/details`, archive];
    for (const path of [...pages, `/registry/packages/${secret}/icon.png`]) {
      for (const user of [undefined, "eve"]) assert.equal((await read(path, user)).status, 404, `${path} for ${user}`);
      const own = await read(path, "ada");
      assert.equal(own.status, 200, path);
      assert.match(own.headers.get("cache-control") ?? "", /no-store/, path);
    }
    for (const path of [
      "packages.json",
      "kicad/packages.json",
      "manifests.json",
      "search?q=",
      "search?q=secret&owner=ada",
    ]) {
      assert.doesNotMatch((await read(`/registry/${path}`)).text, /secret/, path);
    }
    assert.equal((JSON.parse((await read("/registry")).text) as RegistryFacts).packages, 1);

    const own = async (user: string) =>
      (JSON.parse((await read("/registry/private", user)).text) as SearchAnswer).packages;
    assert.deepEqual([(await own("ada")).map(({ identifier }) => identifier), await own("eve")], [[secret], []]);

    const address = async (method: string, path: string, user: string, body?: object) => {
      const response = await fetch(`${at.url}/registry/addresses${path}`, {
        method,
        headers: { authorization: `Bearer ${user}`, ...(body ? { "content-type": "application/json" } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      return { status: response.status, body: JSON.parse((await response.text()) || "{}") as NewSecretAddress };
    };
    const made = await address("POST", "", "ada", { name: "Workstation" });
    assert.equal(made.status, 201);
    const root = made.body.urls.kicad ?? "";
    assert.match(root, /\/registry\/private\/bpr_[\w-]{43}\/kicad\/repository\.json$/);
    assert.equal((await address("GET", "", "ada")).status, 200);
    assert.ok([400, 404].includes((await address("DELETE", "/a%00b", "ada")).status), "NUL is no fault of ours");
    const repository = JSON.parse((await read(root)).text) as Repository;
    const second = await under.get(root, { accept: SCHEMA_V2_MEDIA_TYPE }, "GET", at);
    assert.equal(second.headers.get("content-type"), SCHEMA_V2_MEDIA_TYPE);
    assert.equal(((await second.json()) as Repository).schema_version, 2);
    const listed = await read(repository.packages.url);
    assert.equal(createHash("sha256").update(listed.text).digest("hex"), repository.packages.sha256);
    const { packages } = JSON.parse(listed.text) as {
      packages: { identifier: string; versions: { download_url: string }[] }[];
    };
    assert.deepEqual(
      packages.map(({ identifier }) => identifier),
      [secret],
    );
    const download = packages[0]?.versions[0]?.download_url ?? "";
    assert.equal((await read(download)).status, 200);
    assert.equal((await read(download.replaceAll(secret, ONE))).status, 404, "a public package is not there");
    assert.equal((await read(root.replace(/bpr_../, "bpr_xx"))).status, 404);
    const eves = await address("POST", "", "eve", { name: "Eve" });
    assert.equal(
      (await read(download.replace(/bpr_[\w-]{43}/, /bpr_[\w-]{43}/.exec(eves.body.urls.kicad ?? "")?.[0] ?? "")))
        .status,
      404,
    );

    const rows = await at.database.durable.selectFrom("registry_addresses").selectAll().execute();
    assert.doesNotMatch(JSON.stringify(rows), /bpr_/, "only a hash is stored");
    assert.equal((await address("DELETE", `/${made.body.id}`, "eve")).status, 404);
    assert.equal((await address("DELETE", `/${made.body.id}`, "ada")).status, 204);
    for (const path of [root, download, repository.packages.url]) assert.equal((await read(path)).status, 404, path);
    const stored: string[] = [];
    for (const { parentPath, name } of readdirSync(under.home, { recursive: true, withFileTypes: true })) {
      if (name.endsWith(".gz")) stored.push(gunzipSync(readFileSync(join(parentPath, name))).toString());
    }
    assert.ok(stored.length > 0);
    assert.doesNotMatch(stored.join(), /bpr_/, "no list with a secret address is stored");

    const shown = await fetch(`${at.url}/registry/packages/${secret}`, {
      method: "PATCH",
      headers: { authorization: "Bearer ada", "content-type": "application/json" },
      body: JSON.stringify({ private: false }),
    });
    assert.equal(shown.status, 204);
    assert.equal((await read(archive)).status, 200);
    assert.match((await read("/registry/packages.json")).text, /secret/);
  });

  test(`${stage.name}: a secret address ends with the account that made it; the lists of files are behind it, too`, async (t) => {
    const under = await openRegistry(t, stage);
    const secret = "org.example.secret";
    const at = under.first;
    const send = (path: string, user: string, init: RequestInit) =>
      fetch(`${at.url}${path}`, { ...init, headers: { authorization: `Bearer ${user}`, ...init.headers } });
    const archive = new Uint8Array(sampleArchive({ identifier: secret }));
    await send("/registry/packages?private=true", "ada", {
      ...{ method: "POST", headers: { "content-type": "application/zip" }, body: archive },
    });
    const create = async () => {
      const made = await send("/registry/addresses", "ada", {
        ...{ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ name: "Lab" }) },
      });
      return ((await made.json()) as NewSecretAddress).urls.kicad ?? "";
    };
    const status = async (path: string) => (await under.get(path, {}, "GET", at)).status;
    const root = await create();
    const { manifests } = (await (await under.get(root, {}, "GET", at)).json()) as Repository;
    const listed = await (await under.get(manifests?.url ?? "", {}, "GET", at)).text();
    const [list = ""] = /http[^"]+[/]manifests[/][a-f0-9]{64}[.]json/.exec(listed) ?? [];
    assert.match(list, /[/]private[/]bpr_/);
    const files = await under.get(list, {}, "GET", at);
    assert.deepEqual([files.status, files.headers.get("cache-control")], [200, "private, no-store"]);
    assert.equal(await status(list.replace(/[/]private[/]bpr_[\w-]{43}/, "")), 404, "nowhere else");

    under.removed.add("ada");
    const download = `${root.replace("/kicad/repository.json", "")}/archives/${secret}/1.0.0.zip`;
    for (const path of [root, manifests?.url ?? "", list, download]) assert.equal(await status(path), 404, path);
    const { addresses } = (await (await send("/registry/addresses", "ada", {})).json()) as { addresses: object[] };
    assert.deepEqual(addresses, [], "it is deleted");
  });

  test(`${stage.name}: nobody learns from a refusal that there is a private package`, async (t) => {
    const under = await openRegistry(t, stage);
    const posted = await fetch(`${under.first.url}/registry/packages?private=true`, {
      ...{ method: "POST", headers: { authorization: "Bearer ada", "content-type": "application/zip" } },
      body: new Uint8Array(sampleArchive({ identifier: "org.example.secret" })),
    });
    assert.equal(posted.status, 201);
    for (const page of ["", "/details", "/icon.png"]) {
      const [there, nowhere] = await Promise.all(
        ["secret", "nothing"].map(async (name) => {
          const path = `/registry/packages/org.example.${name}${page}`;
          return (await under.get(path, { "sec-fetch-site": "cross-site" }, "GET", under.first)).status;
        }),
      );
      assert.equal(there, nowhere, page);
    }
  });

  rule(
    `${stage.name}: an unpublished version is in no list; its archive is 410 with the reason, which details show`,
    async (t) => {
      const under = await openRegistry(t, stage);
      await published(under, { identifier: ONE }, { identifier: ONE, version: "2.0" });
      const listed = async (path: string) => (await under.get(`/registry/${path}`, {}, "GET", under.first)).text();
      assert.match(await listed("packages.json"), /org\.example\.one-2\.0\.zip/);
      await under.unpublish(ONE, "2.0", "It contained a private key.");
      for (const file of ["packages.json", "kicad/packages.json", "manifests.json"]) {
        assert.doesNotMatch(await listed(file), /2\.0/, file);
      }
      const archive = await under.get(`/registry/archives/${ONE}/2.0.zip`);
      const { code, detail } = (await archive.json()) as ProblemBody;
      assert.deepEqual([archive.status, code], [410, "version-unpublished"]);
      assert.equal(detail, "It was unpublished on 2026-07-28: It contained a private key.");
      const details = (await (await under.get(`/registry/packages/${ONE}/details`)).json()) as PackageDetails;
      assert.deepEqual(details.unpublished, [
        {
          ...{ version: "2.0", version_epoch: 0, reason: "It contained a private key." },
          ...{ unpublished_at: new Date(under.clock.nowMs).toISOString(), unpublished_by: "ada" },
        },
      ]);
      assert.deepEqual(
        details.versions.map(({ version }) => version),
        ["1.0.0"],
      );
    },
  );

  rule(
    `${stage.name}: a package whose versions are all unpublished is in no packages.json, because KiCad requires a version`,
    async (t) => {
      const under = await openRegistry(t, stage);
      await published(under, { identifier: ONE }, { identifier: "org.example.two" });
      await under.unpublish(ONE, "1.0.0", "Leaked.");
      for (const brand of ["tool", "kicad"]) {
        for (const accept of ["application/json", SCHEMA_V2_MEDIA_TYPE]) {
          const response = await under.get(`/registry/${brand}/packages.json`, { accept }, "GET", under.first);
          const { packages } = (await response.json()) as { packages: { identifier: string; versions: unknown[] }[] };
          assert.deepEqual(
            packages.map(({ identifier, versions }) => [identifier, versions.length]),
            [["org.example.two", 1]],
          );
        }
      }
      assert.deepEqual(await codeOf(await under.get(`/registry/packages/${ONE}`)), [404, "not-found"]);
      const details = (await (await under.get(`/registry/packages/${ONE}/details`)).json()) as PackageDetails;
      assert.deepEqual([details.versions, details.unpublished.length], [[], 1]);
      await published(under, { identifier: ONE, version: "1.0.1" });
      const again = await under.get("/registry/packages.json", {}, "GET", under.first);
      assert.match(await again.text(), /org\.example\.one-1\.0\.1\.zip/);
    },
  );

  rule(`${stage.name}: one package in either spelling, its icon, its manifest, the schema`, async (t) => {
    const under = await openRegistry(t, stage);
    await published(under, { identifier: ONE }, { identifier: "org.example.plain", icon: null });
    for (const brand of ["tool", "kicad"]) {
      const response = await under.get(`/registry/packages/${ONE}?brand=${brand}`);
      const checked = createChecker(brand)(await response.text(), "Package");
      assert.ok("value" in checked, brand);
    }
    assert.deepEqual(await codeOf(await under.get(`/registry/packages/${ONE}?brand=altium`)), [404, "not-found"]);
    assert.deepEqual(await codeOf(await under.get("/registry/packages/no.such")), [404, "package-unknown"]);
    const icon = await under.get(`/registry/packages/${ONE}/icon.png`);
    assert.equal(icon.headers.get("content-type"), "image/png");
    assert.deepEqual(Buffer.from(await icon.arrayBuffer()), SAMPLE_ICON);
    const known = { "if-none-match": icon.headers.get("etag") ?? "" };
    assert.equal((await under.get(`/registry/packages/${ONE}/icon.png`, known)).status, 304);
    assert.deepEqual(await codeOf(await under.get("/registry/packages/org.example.plain/icon.png")), [
      404,
      "not-found",
    ]);
    const manifests = (await (await under.get("/registry/manifests.json")).json()) as {
      packages: Record<string, Record<string, { url: string; sha256: string; size: number }>>;
    };
    const named = manifests.packages[ONE]?.["1.0.0"];
    const manifest = Buffer.from(await (await under.get(named?.url ?? "")).arrayBuffer());
    assert.equal(createHash("sha256").update(manifest).digest("hex"), named?.sha256);
    assert.deepEqual(await codeOf(await under.get(`/registry/manifests/${"0".repeat(64)}.json`)), [404, "not-found"]);
    const schema = (await (await under.get("/schemas/package.v1.json?brand=kicad")).json()) as Record<string, unknown>;
    assert.match(JSON.stringify(schema), /kicad_version/);
    assert.deepEqual(await codeOf(await under.get("/schemas/package.v1.json?brand=altium")), [404, "not-found"]);
    const facts = (await (await under.get("/registry")).json()) as RegistryFacts;
    assert.deepEqual(
      [facts.packages, facts.versions, facts.brands, facts.repository_url],
      [2, 2, ["tool", "kicad"], `${BASE_URL}/registry/repository.json`],
    );
  });

  rule(`${stage.name}: details say who published, what fits and why, and whether the caller may publish`, async (t) => {
    const under = await openRegistry(t, stage);
    const version = (more: object) => ({
      metadata: { versions: [{ status: "stable", tool_version: "9.0", ...more }] },
    });
    await published(
      under,
      { identifier: ONE, ...version({ version: "1.0", tool_version: "6.0", tool_version_max: "8.9" }) },
      { identifier: ONE, ...version({ version: "2.0" }) },
      { identifier: ONE, ...version({ version: "3.0", status: "testing" }) },
    );
    const read = async (query: string, headers = {}) =>
      (await (await under.get(`/registry/packages/${ONE}/details${query}`, headers)).json()) as PackageDetails;
    const plain = await read("");
    assert.deepEqual([plain.owner, plain.may_publish, plain.has_icon], ["ada", false, true]);
    assert.deepEqual(
      plain.versions.map((one) => [one.version, one.published_by, one.chosen, one.file_count]),
      [
        ["3.0", "ada", undefined, 2],
        ["2.0", "ada", undefined, 2],
        ["1.0", "ada", undefined, 2],
      ],
    );
    const fitting = await read("?tool=9.0.2&platform=linux", { authorization: "Bearer ada" });
    assert.equal(fitting.may_publish, true);
    assert.deepEqual(
      fitting.versions.map(({ chosen, works, because }) => [chosen, works, because]),
      [
        [false, true, "is testing, and a stable version works"],
        [true, true, "is the latest that works here, and stable"],
        [false, false, "works up to 8.9, this is 9.0.2"],
      ],
    );
    assert.equal((await read("", { authorization: "Bearer bob" })).may_publish, false);
    assert.deepEqual(await codeOf(await under.get(`/registry/packages/${ONE}/details?tool=nine`)), [
      400,
      "invalid-parameter",
    ]);
  });

  rule(`${stage.name}: search finds published and changed packages, with their fit, page by page`, async (t) => {
    const under = await openRegistry(t, stage);
    await published(
      under,
      { identifier: "org.example.board", metadata: { name: "Board viewer", tags: ["html"] } },
      { identifier: "org.example.theme", metadata: { name: "Dark theme", type: "colortheme" } },
    );
    await under.publish({ identifier: "com.bob.board", metadata: { name: "Böard tools" }, icon: null }, "bob");
    const search = async (query: string) =>
      (await (await under.get(`/registry/search?${query}`)).json()) as SearchAnswer;
    const names = async (query: string) => (await search(query)).packages.map(({ identifier }) => identifier);
    assert.deepEqual((await names("q=boa")).sort(), ["com.bob.board", "org.example.board"]);
    assert.deepEqual(await names("q=html%20VIEWER"), ["org.example.board"]);
    assert.deepEqual(await names("q=&owner=BOB"), ["com.bob.board"]);
    assert.deepEqual(await search("q=&owner=nobody"), { total: 0, packages: [] });
    assert.deepEqual(await names("type=colortheme"), ["org.example.theme"]);
    const page = await search("limit=1&offset=1");
    assert.deepEqual([page.total, page.packages.length], [3, 1]);
    const fits = (await search("q=board&tool=8.0&platform=windows")).packages.map(({ fit }) => fit);
    assert.deepEqual(fits, [
      { state: "none", words: "Needs 9.0" },
      { state: "none", words: "Needs 9.0" },
    ]);
    assert.deepEqual((await search("q=viewer&tool=9.0")).packages[0]?.fit, {
      ...{ state: "works", version: "1.0.0", words: "Works" },
    });
    await published(under, { identifier: "org.example.board", version: "2.0", metadata: { name: "Layout viewer" } });
    assert.deepEqual(await names("q=layout"), ["org.example.board"]);
    for (const bad of [`q=${"x".repeat(201)}`, "limit=0", "limit=201", "offset=-1", "type=x", "no=1"]) {
      assert.equal((await under.get(`/registry/search?${bad}`)).status, 400, bad);
    }
  });

  rule(`${stage.name}: pages of any origin may read public data`, async (t) => {
    const under = await openRegistry(t, stage);
    await published(under, { identifier: ONE });
    const reads = ["/registry", "/registry/search", "/registry/keys", `/registry/packages/${ONE}`, ARCHIVE];
    for (const path of [...reads, `/registry/packages/${ONE}/icon.png`, "/registry/repository.json"]) {
      const { headers } = await under.get(path, { origin: "https://elsewhere.example" });
      assert.deepEqual(
        [headers.get("access-control-allow-origin"), headers.get("cross-origin-resource-policy")],
        ["*", "cross-origin"],
        path,
      );
      assert.equal((await under.get(path, {}, "OPTIONS")).status, 204, path);
    }
  });

  rule(`${stage.name}: every route has a summary and a tag in the API's description`, async (t) => {
    const under = await openRegistry(t, stage);
    const { paths } = (await (await under.get("/openapi.json")).json()) as {
      paths: Record<string, Record<string, { summary?: string; tags?: string[] }>>;
    };
    const ours = Object.entries(paths).filter(([path]) => /^\/(registry|schemas)/.test(path));
    assert.ok(ours.length >= 15);
    for (const [path, methods] of ours) {
      for (const [method, { summary = "", tags = [] }] of Object.entries(methods)) {
        assert.ok(summary !== "" && tags.length === 1, `${method} ${path}`);
      }
    }
  });
}

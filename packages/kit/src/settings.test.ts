import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { loadSettings, localUrl, readSettings, SettingsFault } from "./settings.ts";

const faultsOf = (environment: Record<string, string>): Map<string, string> => {
  try {
    readSettings(environment, "/project");
  } catch (fault) {
    assert.ok(fault instanceof SettingsFault);
    return new Map(fault.faults.map(({ name, message }) => [name, message]));
  }
  throw new assert.AssertionError({ message: "the settings were accepted" });
};

test("an empty environment gives the documented defaults", () => {
  assert.deepEqual(readSettings({}, "/project"), {
    host: "127.0.0.1",
    platformPort: 8790,
    gatewayPort: 8795,
    watchdogPort: 8796,
    viewerPort: 8770,
    baseUrl: "http://localhost:8790",
    authUrl: "http://localhost:8790",
    gatewayUrl: "http://localhost:8795",
    gatewayWsUrl: "ws://localhost:8795",
    gatewayOrigins: undefined,
    home: "/project/.backplane",
    logsFolder: "/project/.backplane/logs",
    command: "backplane",
    databaseUrl: undefined,
    databaseConnections: 12,
    redisUrl: undefined,
    logLevel: "info",
    trustProxy: [],
    allowedHosts: [],
    metricsToken: undefined,
    drainDelayMs: 0,
    ownerName: "owner",
    ownerPassword: undefined,
    openRegistration: false,
    openid: undefined,
    registryName: "Backplane packages",
    registryMaintainer: undefined,
    registryBrands: ["tool", "kicad"],
    archives: { kind: "folder", folder: "/project/.backplane/archives" },
    indexesFolder: undefined,
    backups: { to: "/project/.backplane/backups", every: undefined, keep: undefined, passphraseFile: undefined },
    s3: undefined,
    projectsFolder: "/project/.backplane/projects",
    quotas: { fileBytes: 10 * 1024 ** 3, archiveBytes: 10 * 1024 ** 3, packages: 1_000 },
    framesUrl: "http://*.localhost:8790",
    proxyAllow: [],
    panelAliases: {},
    panelOrigins: [],
    mqttPort: 1883,
    mqttUrl: undefined,
    simulators: true,
    devicesAllow: ["127.0.0.0/8", "::1"],
    streamAllow: ["127.0.0.0/8", "::1"],
    streamHosts: [],
    streamPorts: undefined,
    streamRelays: { urls: [], secret: undefined },
    recordingsMaxBytes: 20 * 1024 ** 3,
    historyKeepDays: 730,
    viewerUrl: "http://localhost:8770",
    viewerProject: "/project",
    viewerWorkspace: undefined,
    namer: undefined,
  });
});

test("paths are read from the folder of the settings", () => {
  const { indexesFolder, backups } = readSettings(
    { INDEXES_FOLDER: "indexes", BACKUP_PASSPHRASE_FILE: "/etc/passphrase" },
    "/project",
  );
  assert.deepEqual([indexesFolder, backups.passphraseFile], ["/project/indexes", "/etc/passphrase"]);
});

test("addresses follow the ports and each other unless they are set", () => {
  const settings = readSettings({ PLATFORM_PORT: "9000", GATEWAY_URL: "https://cb.example.org/" }, "/project");
  assert.equal(settings.authUrl, "http://localhost:9000");
  assert.equal(settings.gatewayUrl, "https://cb.example.org");
  assert.equal(settings.gatewayWsUrl, "wss://cb.example.org");
});

test("origins are read as browsers write them, and * means any", () => {
  const originsOf = (text: string) => readSettings({ GATEWAY_ORIGINS: text }, "/project").gatewayOrigins;
  assert.deepEqual(originsOf("https://App.example.org, http://localhost:3000"), [
    "https://app.example.org",
    "http://localhost:3000",
  ]);
  assert.equal(originsOf("*"), undefined);
});

test("quotas are whole numbers, of bytes with a unit", () => {
  const quotasOf = (environment: Record<string, string>) => readSettings(environment, "/project").quotas;
  const { fileBytes, archiveBytes, packages } = quotasOf({
    QUOTA_FILES: "1 TB",
    QUOTA_ARCHIVES: "500mb",
    QUOTA_PACKAGES: "3",
  });
  assert.deepEqual([fileBytes, archiveBytes, packages], [1024 ** 4, 500 * 1024 ** 2, 3]);
  for (const text of ["0GB", "10", "-1GB", "1.5GB", "10000TB", "GB", "1 KB"]) {
    assert.equal(faultsOf({ QUOTA_FILES: text }).size, 1, text);
  }
  for (const text of ["0", "1e3", "1000000", "many"]) assert.equal(faultsOf({ QUOTA_PACKAGES: text }).size, 1, text);
});

test("the maintainer of the registry is a name, with an email or web address", () => {
  const maintainerOf = (environment: Record<string, string>) =>
    readSettings(environment, "/project").registryMaintainer;
  const name = "Fieldworks";
  assert.deepEqual(maintainerOf({ REGISTRY_MAINTAINER_NAME: name }), { name, contact: {} });
  for (const [text, contact] of [
    ["parts@example.org", { email: "parts@example.org" }],
    ["https://example.org/parts", { web: "https://example.org/parts" }],
  ] as const) {
    const environment = { REGISTRY_MAINTAINER_NAME: name, REGISTRY_MAINTAINER_CONTACT: text };
    assert.deepEqual(maintainerOf(environment), { name, contact });
  }
  for (const text of ["ask me", "ftp://example.org", "a@b@c", `${"x".repeat(500)}@example.org`]) {
    const faults = faultsOf({ REGISTRY_MAINTAINER_NAME: name, REGISTRY_MAINTAINER_CONTACT: text });
    assert.deepEqual([...faults.keys()], ["REGISTRY_MAINTAINER_CONTACT"], text);
  }
  const alone = faultsOf({ REGISTRY_MAINTAINER_CONTACT: "parts@example.org" });
  assert.deepEqual([...alone.keys()], ["REGISTRY_MAINTAINER_NAME"]);
});

test("an empty value counts as not set", () => {
  assert.equal(readSettings({ REDIS_URL: " ", PLATFORM_PORT: "" }, "/project").redisUrl, undefined);
});

test("every fault is reported at once, by the setting's name", () => {
  const faults = faultsOf({
    HOST: "not a host",
    PLATFORM_PORT: "80a",
    GATEWAY_PORT: "70000",
    BASE_URL: "ftp://x",
    GATEWAY_WS_URL: "http://x",
    GATEWAY_ORIGINS: "https://app.example.org/path",
    DATABASE_URL: "mysql://x",
    DATABASE_CONNECTIONS: "2",
    REDIS_URL: "x",
    LOG_LEVEL: "loud",
    TRUST_PROXY: "10.0.0.0/8,nowhere",
    DRAIN_DELAY_S: "61",
    BACKPLANE_OWNER: "a b",
    BACKPLANE_OWNER_PASSWORD: "short",
  });
  assert.deepEqual(
    [...faults.keys()].sort(),
    [
      "BACKPLANE_OWNER",
      "BACKPLANE_OWNER_PASSWORD",
      "BASE_URL",
      "DATABASE_CONNECTIONS",
      "DATABASE_URL",
      "DRAIN_DELAY_S",
      "GATEWAY_ORIGINS",
      "GATEWAY_PORT",
      "GATEWAY_WS_URL",
      "HOST",
      "LOG_LEVEL",
      "PLATFORM_PORT",
      "REDIS_URL",
      "TRUST_PROXY",
    ].sort(),
  );
  assert.equal(faults.get("PLATFORM_PORT"), 'is "80a", not a port: use a number from 1 to 65535.');
});

test("when two processes have one port, the fault is reported for the second", () => {
  assert.match(faultsOf({ VIEWER_PORT: "8790" }).get("VIEWER_PORT") ?? "", /same as PLATFORM_PORT/);
});

test("no message repeats a password or an address that may hold one", () => {
  const canary = "hunter2-canary";
  for (const name of ["DATABASE_URL", "REDIS_URL", "BASE_URL", "GATEWAY_WS_URL"]) {
    for (const value of [`nonsense://u:${canary}@host/db`, `${canary}`, `http://u:${canary}@h`]) {
      try {
        readSettings({ [name]: value }, "/project");
      } catch (fault) {
        assert.doesNotMatch((fault as Error).message, new RegExp(canary), name);
      }
    }
  }
  assert.doesNotMatch([...faultsOf({ BACKPLANE_OWNER_PASSWORD: "c4nary" }).values()].join(), /c4nary/);
});

test("a folder called .env is ignored", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "settings-"));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, ".env"));
  assert.equal(loadSettings({ HOST: "::1" }, folder).settings.host, "::1");
});

test("an address that a client would refuse later is refused at the start", () => {
  assert.match(faultsOf({ REDIS_URL: "redis://localhost/abc" }).get("REDIS_URL") ?? "", /not a number/);
  assert.match(faultsOf({ DATABASE_URL: "postgres://u:50%@h/x" }).get("DATABASE_URL") ?? "", /%25/);
  assert.equal(readSettings({ REDIS_URL: "redis://h:1/3" }, "/").redisUrl, "redis://h:1/3");
});

test("the environment wins over the .env file", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "settings-"));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, ".env"), 'HOST=0.0.0.0\nLOG_LEVEL="debug"\n');
  const { settings } = loadSettings({ HOST: "127.0.0.2" }, folder);
  assert.equal(settings.host, "127.0.0.2");
  assert.equal(settings.logLevel, "debug");
});

test("a server that listens on all addresses is reached on loopback, any other where it listens", () => {
  assert.equal(localUrl("0.0.0.0", 1), "http://127.0.0.1:1");
  assert.equal(localUrl("::", 1), "http://127.0.0.1:1");
  assert.equal(localUrl("::1", 1), "http://[::1]:1");
  assert.equal(localUrl("10.0.0.7", 1), "http://10.0.0.7:1");
});

test("a mistyped setting in .env is reported with the one that was meant, along with all other faults", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "settings-"));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, ".env"), "GATWAY_PORT=1\nOTHER_PROGRAM=2\nLOG_LEVEL=loud\n");
  assert.throws(
    () => loadSettings({}, folder),
    (fault: SettingsFault) => {
      const messages = fault.faults.map(({ name, message }) => `${name} ${message}`);
      assert.equal(messages[0], ".env sets GATWAY_PORT, which is not a setting. Did you mean GATEWAY_PORT?");
      assert.match(messages[1] ?? "", /^LOG_LEVEL /);
      return messages.length === 2;
    },
  );
});

test("an OpenID Connect provider is an issuer and a client id; one without the other is named", () => {
  const issuer = "https://accounts.example.org/";
  assert.deepEqual(readSettings({ OPENID_ISSUER: issuer, OPENID_CLIENT_ID: "bp" }, "/").openid, {
    issuer,
    clientId: "bp",
    clientSecret: undefined,
    name: "accounts.example.org",
  });
  assert.deepEqual([...faultsOf({ OPENID_ISSUER: issuer }).keys()], ["OPENID_CLIENT_ID"]);
  assert.equal(faultsOf({ OPENID_CLIENT_ID: "bp" }).get("OPENID_ISSUER"), "is missing: OPENID_CLIENT_ID needs it.");
  assert.equal(faultsOf({ OPEN_REGISTRATION: "yes" }).get("OPEN_REGISTRATION"), 'is "yes": use true or false.');
});

test("servers for the way to pictures are STUN or TURN addresses; TURN needs the shared secret", () => {
  const urls = ["stun:turn.example.org", "turns:turn.example.org:443?transport=tcp"];
  const given = { STREAM_TURN: urls.join(", "), STREAM_TURN_SECRET: "north" };
  assert.deepEqual(readSettings(given, "/").streamRelays, { urls, secret: "north" });
  assert.deepEqual(readSettings({ STREAM_TURN: "stun:a" }, "/").streamRelays, { urls: ["stun:a"], secret: undefined });
  assert.deepEqual([...faultsOf({ STREAM_TURN: "turn:a" }).keys()], ["STREAM_TURN_SECRET"]);
  assert.deepEqual([...faultsOf({ STREAM_TURN_SECRET: "x" }).keys()], ["STREAM_TURN"]);
  for (const bad of ["turn.example.org", "https://turn.example.org", 'turn:a"b', "turn:a?transport=tls"])
    assert.match(faultsOf({ ...given, STREAM_TURN: bad }).get("STREAM_TURN") ?? "", /use servers such as turn:/);
});

test("archives are kept in the home folder, or in a bucket with all the settings it needs", () => {
  assert.deepEqual(readSettings({ BACKPLANE_HOME: "/home" }, "/").archives, {
    kind: "folder",
    folder: "/home/archives",
  });
  const s3 = { S3_ENDPOINT: "http://localhost:9000", S3_ACCESS_KEY_ID: "id", S3_SECRET_ACCESS_KEY: "secret" };
  assert.deepEqual(readSettings({ ARCHIVES_URL: "s3://bench/some/where", ...s3 }, "/").archives, {
    kind: "s3",
    endpoint: "http://localhost:9000",
    region: "us-east-1",
    bucket: "bench",
    prefix: "some/where/",
    accessKeyId: "id",
    secretAccessKey: "secret",
  });
  const needed = ["S3_ENDPOINT", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"];
  assert.deepEqual([...faultsOf({ ARCHIVES_URL: "s3://bench" }).keys()], needed);
  for (const bad of ["bench", "s3://", "s3://B", "s3://bench/../x", "https://bench"]) {
    assert.match(faultsOf({ ARCHIVES_URL: bad, ...s3 }).get("ARCHIVES_URL") ?? "", /not a bucket/);
  }
});

test("brands are lower-case names, each once, and none that the registry uses in its addresses", () => {
  assert.deepEqual(readSettings({}, "/").registryBrands, ["tool", "kicad"]);
  assert.deepEqual(readSettings({ REGISTRY_BRANDS: "kicad, tool" }, "/").registryBrands, ["kicad", "tool"]);
  for (const bad of ["KiCad", "tool,", "a b", "packages", "tool,tool", "a,b,c,d,e,f,g,h,i"]) {
    assert.ok(faultsOf({ REGISTRY_BRANDS: bad }).has("REGISTRY_BRANDS"), bad);
  }
});

test("frames are served under the host of BASE_URL, on this machine under localhost", () => {
  const framesUrl = (environment: Record<string, string>) => readSettings(environment, "/project").framesUrl;
  assert.equal(framesUrl({ BASE_URL: "http://127.0.0.1:9000" }), "http://*.localhost:9000");
  assert.equal(framesUrl({ BASE_URL: "http://[::1]:9000" }), "http://*.localhost:9000");
  assert.equal(framesUrl({ BASE_URL: "https://panels.example.org" }), "https://*.panels.example.org");
  assert.equal(framesUrl({ FRAMES_URL: "https://*.Frames.example.org/" }), "https://*.frames.example.org");
  for (const wrong of [
    "https://frames.example.org",
    "*.example.org",
    "https://*",
    "https://*.a.org/path",
    "ftp://*.a.org",
  ]) {
    assert.match(faultsOf({ FRAMES_URL: wrong }).get("FRAMES_URL") ?? "", /begins with a star/, wrong);
  }
  assert.deepEqual(readSettings({ PROXY_ALLOW: "10.0.0.0/8, 192.168.1.7" }, "/project").proxyAllow, [
    "10.0.0.0/8",
    "192.168.1.7",
  ]);
});

test("aliases of panels are pairs of a name and a kind", () => {
  const aliases = readSettings({ PANEL_ALIASES: "acme/page = webview,acme/0a-1=3d-viewer" }, "/project").panelAliases;
  assert.deepEqual(aliases, { "acme/page": "webview", "acme/0a-1": "3d-viewer" });
  const tooMany = Array.from({ length: 101 }, (_, at) => `acme/${at}=webview`).join(",");
  for (const wrong of ["acme/page", "page=webview", "acme/page=", "acme/page=webview,", "acme/a b=webview", tooMany]) {
    assert.ok(faultsOf({ PANEL_ALIASES: wrong }).has("PANEL_ALIASES"), wrong);
  }
});

test("the viewer: its address has its port, its project is the working folder, a model needs address and name", () => {
  const read = (environment: Record<string, string>) => readSettings(environment, "/project");
  assert.equal(read({ VIEWER_PORT: "9001" }).viewerUrl, "http://localhost:9001");
  assert.equal(read({ VIEWER_PROJECT: "../rover" }).viewerProject, "/rover");
  assert.equal(read({ VIEWER_WORKSPACE: "field.works/rover" }).viewerWorkspace, "field.works/rover");
  for (const wrong of ["rover", "a/b/c", "/b", "a/", "a b/c"]) {
    assert.match(faultsOf({ VIEWER_WORKSPACE: wrong }).get("VIEWER_WORKSPACE") ?? "", /use owner\/name/, wrong);
  }
  const namer = { NAMER_URL: "http://localhost:11434/v1", NAMER_MODEL: "seer" };
  assert.deepEqual(read(namer).namer, { url: "http://localhost:11434/v1", model: "seer", key: undefined });
  assert.equal(read({ ...namer, NAMER_KEY: "k-1" }).namer?.key, "k-1");
  assert.match(faultsOf({ NAMER_URL: namer.NAMER_URL }).get("NAMER_MODEL") ?? "", /is missing/);
  assert.match(faultsOf({ NAMER_MODEL: "seer" }).get("NAMER_URL") ?? "", /is missing/);
  const withKey = faultsOf({ NAMER_URL: "https://a.example/v1?key=cAnArY", NAMER_MODEL: "seer" }).get("NAMER_URL");
  assert.doesNotMatch(withKey ?? "cAnArY", /cAnArY/);
});

test("backups go to a folder or a store, when the settings say", () => {
  const read = (environment: Record<string, string>) => readSettings(environment, "/project").backups;
  assert.equal(read({ BACKUP_TO: "b" }).to, "/project/b");
  assert.deepEqual(read({ BACKUP_EVERY: "6h" }).every, { everyMs: 6 * 3_600_000 });
  assert.deepEqual(read({ BACKUP_EVERY: "daily at 03:30" }).every, { minuteOfDay: 210 });
  assert.match(faultsOf({ BACKUP_EVERY: "often" }).get("BACKUP_EVERY") ?? "", /daily at 03:30/);
  assert.match(faultsOf({ BACKUP_TO: "s3://backups/lab" }).get("S3_ENDPOINT") ?? "", /BACKUP_TO needs it/);
  const s3 = { S3_ENDPOINT: "http://localhost:9000", S3_ACCESS_KEY_ID: "a", S3_SECRET_ACCESS_KEY: "b" };
  assert.equal(read({ ...s3, BACKUP_TO: "s3://backups/lab" }).to, "s3://backups/lab");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { PARTS, type Part } from "./parts.ts";
import { settingWarnings } from "./setting-warnings.ts";
import { readSettings } from "./settings.ts";

const sentencesFor = (environment: Record<string, string>, part?: Part): string[] =>
  settingWarnings(readSettings(environment, "/srv"), part).map(({ sentence }) => sentence);

const PUBLIC = {
  BASE_URL: "https://example.org",
  GATEWAY_URL: "https://gateway.example.org",
  VIEWER_URL: "https://viewer.example.org",
};
const CLUSTER = { DATABASE_URL: "postgres://db.example.org/backplane", REDIS_URL: "redis://redis.example.org" };

/** What does not fit together, the sentence about it, and the parts that it concerns. */
const TABLE: readonly { given: Record<string, string>; says: RegExp; concerns: readonly Part[] }[] = [
  {
    given: { ...PUBLIC },
    says: /^[^.]* public, but HOST 127\.0\.0\.1 takes .* Set TRUST_PROXY/,
    concerns: PARTS,
  },
  {
    given: { ...PUBLIC, GATEWAY_URL: "http://gateway.example.org" },
    says: /^GATEWAY_URL is public without TLS.* use https\.$/,
    concerns: ["platform", "gateway", "watchdog"],
  },
  {
    given: { ...PUBLIC, GATEWAY_WS_URL: "ws://gateway.example.org" },
    says: /^GATEWAY_WS_URL is public without TLS.* use https and wss\.$/,
    concerns: ["gateway", "watchdog"],
  },
  {
    given: { ...PUBLIC, FRAMES_URL: "http://*.panels.example.org" },
    says: /^FRAMES_URL is public without TLS/,
    concerns: ["platform"],
  },
  {
    given: { BASE_URL: "https://example.org", TRUST_PROXY: "127.0.0.1" },
    says: /^BASE_URL is public, but .* not: on another machine/,
    concerns: PARTS,
  },
  {
    given: { VIEWER_URL: "http://localhost:9000" },
    says: /^VIEWER_URL has port 9000, but VIEWER_PORT is 8770/,
    concerns: ["platform", "viewer"],
  },
  {
    given: { HOST: "0.0.0.0" },
    says: /^HOST 0\.0\.0\.0 takes connections from other machines.* get 421/,
    concerns: PARTS,
  },
  {
    given: { DRAIN_DELAY_S: "5" },
    says: /^DRAIN_DELAY_S is set, .* but .* not: several instances need/,
    concerns: ["platform", "gateway", "watchdog"],
  },
  { given: { REDIS_URL: CLUSTER.REDIS_URL }, says: /^REDIS_URL is set.* MQTT_URL is not/, concerns: ["platform"] },
  { given: { HOST: "0.0.0.0" }, says: /^With HOST 0\.0\.0\.0, devices connect.*unencrypted/, concerns: ["platform"] },
  { given: { MQTT_URL: "mqtt://u:p@10.0.0.7" }, says: /^MQTT_URL leads to another machine/, concerns: ["platform"] },
  { given: CLUSTER, says: /archives are in \/srv\/\.backplane\/archives.* Set ARCHIVES_URL/, concerns: ["platform"] },
];

for (const { given, says, concerns } of TABLE) {
  test(`settings that do not fit together: ${says.source}`, () => {
    const concerned = PARTS.filter((part) => sentencesFor(given, part).some((sentence) => says.test(sentence)));
    assert.deepEqual(concerned, concerns, sentencesFor(given).join("\n"));
    assert.equal(sentencesFor(given).filter((sentence) => says.test(sentence)).length, 1);
    for (const sentence of sentencesFor(given)) assert.doesNotMatch(sentence, /\n/);
  });
}

test("settings that fit together give no warning: a laptop, one machine behind a proxy, a cluster", () => {
  assert.deepEqual(sentencesFor({}), []);
  assert.deepEqual(sentencesFor({ ...PUBLIC, TRUST_PROXY: "127.0.0.1" }), []);
  const s3 = { S3_ENDPOINT: "https://s3.example.org", S3_ACCESS_KEY_ID: "a", S3_SECRET_ACCESS_KEY: "b" };
  const cluster = {
    ...PUBLIC,
    ...CLUSTER,
    ...s3,
    MQTT_URL: "mqtts://mqtt.example.org",
    ARCHIVES_URL: "s3://archives",
    DRAIN_DELAY_S: "5",
  };
  assert.deepEqual(sentencesFor({ ...cluster, HOST: "10.0.0.5", TRUST_PROXY: "10.0.0.1" }), []);
});

test("a warning names its settings, and no password", () => {
  const secret = {
    DATABASE_URL: "postgres://backplane:sEcReT@db.example.org/backplane",
    REDIS_URL: "redis://:sEcReT@r",
  };
  for (const { settings, sentence } of settingWarnings(readSettings(secret, "/srv"))) {
    assert.ok(settings.every((name) => sentence.includes(name)));
    assert.doesNotMatch(sentence, /sEcReT/);
  }
});

// hosting/compose.yaml, started whole, and used by the public names.
import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import type { System } from "@backplane/contract/system";
import { type Stack, startComposeStack } from "./hosting/compose.ts";
import { noMachines } from "./hosting/machine.ts";
import { smokeTest } from "./hosting/machine-smoke.ts";
import { useOven } from "./hosting/oven.ts";
import { PUBLIC, reachPublicNames } from "./hosting/public-names.ts";
import { type Person, signInAs } from "./support/person.ts";

const OWNER = { name: "owner", password: "a sentence of the owner" };
const SECRETS = {
  POSTGRES_PASSWORD: "ofpostgres",
  MQTT_PASSWORD: "ofplatforms",
  S3_SECRET_ACCESS_KEY: "ofthestore",
  BACKPLANE_OWNER_PASSWORD: OWNER.password,
};
const OVEN_PASSWORD = "oftheoven";

suite("compose.yaml", { skip: noMachines() }, () => {
  const url = `https://${PUBLIC.platform}`;
  let stack: Stack;
  let owner: Person;
  before(async () => {
    stack = await startComposeStack({
      secrets: SECRETS,
      prepare: (hosting) =>
        appendFileSync(join(hosting, "mosquitto-topics"), "user oven\ntopic readwrite owner/kitchen/homie/5/oven/#\n"),
    });
    reachPublicNames(stack.authority, stack.address);
    owner = await signInAs(url, OWNER);
  });
  after(() => stack?.[Symbol.asyncDispose]());

  test("people can work, and every part is well", async () => {
    const body = { name: "compose", scopes: ["read", "publish", "panels"] };
    const made = await owner.call(url, "/auth/api-keys", { method: "POST", body });
    const { key } = (await made.json()) as { key: string };
    await smokeTest(stack.authority, stack.address, { ...OWNER, api_key: key });
    assert.equal((await fetch(`https://${PUBLIC.gateway}/ready`, { headers: { connection: "close" } })).status, 200);
    const { instances, findings, silent } = (await (await owner.call(url, "/api/system")).json()) as System;
    assert.deepEqual([instances?.length, silent], [2, []]);
    assert.deepEqual(
      findings.filter(({ state }) => state === "fault"),
      [],
    );
  });

  test("a device that was let in connects over TLS", async () => {
    const line = `mosquitto_passwd -b /var/lib/mosquitto/backplane-passwords oven ${OVEN_PASSWORD} && kill -HUP 1`;
    stack.exec("broker", "sh", "-c", line);
    const url = `mqtts://${PUBLIC.platform}:8883`;
    await useOven(owner, { url, key: OVEN_PASSWORD, repo: "kitchen", prefix: "owner/kitchen/" });
  });
});

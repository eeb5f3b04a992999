// docs/guides/hosting.md, word by word, on machines with a systemd of their own.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, suite, test } from "node:test";
import type { System } from "@backplane/contract/system";
import { VERSION } from "@backplane/kit/version";
import { startDataMachine } from "./hosting/data-machine.ts";
import { type Machine, noMachines, startMachine, startNetwork } from "./hosting/machine.ts";
import { authorityOf, ownerOf, smokeTest } from "./hosting/machine-smoke.ts";
import { makeOvenKey, useOven } from "./hosting/oven.ts";
import { PUBLIC } from "./hosting/public-names.ts";
import { PERSON, PROXIES, type ProxyName } from "./hosting/start-proxy.ts";
import { machinePath, ROOT } from "./support/backplane.ts";
import { signInAs } from "./support/person.ts";

/** The boxes for a machine, in order, as one script. */
function boxesFor(machine: string, proxy?: ProxyName): string {
  const guide = readFileSync(join(ROOT, "docs/guides/hosting.md"), "utf8");
  const boxes = [...guide.matchAll(/^<!-- on: ([^;]*?)(?:; with: (\w+))? -->\n```sh\n(.*?)^```$/gms)];
  assert.equal(boxes.length, guide.match(/^```sh$/gm)?.length, "every box says where it is run");
  return boxes
    .filter(([, machines = "", by]) => machines.split(" ").includes(machine) && (by ?? proxy) === proxy)
    .map(([, , , box]) => box)
    .join("\n");
}

/** From the machine itself, by the public names. */
const ask = (name: string, path: string, ...more: string[]): string =>
  [
    "curl -sS --retry 60 --retry-delay 2 --retry-connrefused --retry-all-errors -o /dev/null -w '%{http_code} '",
    `--cacert /etc/ssl/backplane/ca.crt --resolve ${name}:443:127.0.0.1 https://${name}${path}`,
    ...more,
  ].join(" ");

const FRONT = "10.0.0.2";
/** As the guide names them. */
const ADDRESSES = { data: "10.0.0.3", "app-1": "10.0.0.11", "app-2": "10.0.0.12", "app-3": "10.0.0.13" } as const;
const APPS = ["app-1", "app-2", "app-3"] as const;

suite("the guide, word by word", { skip: noMachines(), concurrency: 1 }, () => {
  const tarball = join(ROOT, `backplane-${VERSION}.tgz`);
  before(() => {
    execFileSync("npm", ["run", "pack"], { cwd: ROOT, env: { ...process.env, PATH: machinePath() } });
  });

  for (const proxy of PROXIES) {
    test(`one machine, ${proxy}: every box works, every public name answers over TLS, and people can work`, async () => {
      using network = startNetwork();
      await using machine = await startMachine(proxy.toLowerCase(), { network, address: FRONT, given: [tarball] });
      machine.paste(boxesFor("one", proxy));
      const frame = PUBLIC.frames.replace("*", "some-panel");
      const person = `-u '${PERSON.username}:${PERSON.password}'`;
      for (const [status, line] of [
        ["200", ask(PUBLIC.platform, "/ready", "--fail")],
        ["200", ask(PUBLIC.gateway, "/ready", "--fail")],
        ["200", ask(PUBLIC.viewer, "/ready", "--fail")],
        ["401", ask(PUBLIC.viewer, "/screenshot-paste")],
        ["200", ask(PUBLIC.viewer, "/screenshot-paste", person)],
        ["200", ask(frame, "/")],
      ] as const) {
        assert.equal(machine.paste(line).trim(), status, line);
      }
      assert.equal(machine.paste("systemctl is-active backplane").trim(), "active");
      await smokeTest(authorityOf(machine), FRONT, ownerOf(machine));
      const owner = await signInAs(`https://${PUBLIC.platform}`, ownerOf(machine));
      const key = await makeOvenKey(owner, "kitchen");
      await useOven(owner, { url: `wss://${PUBLIC.platform}/mqtt`, key, repo: "kitchen" });
    });
  }

  test("many machines: every box works, behind nginx and behind Caddy, and people can work", async () => {
    await using stack = new AsyncDisposableStack();
    const network = stack.use(startNetwork());
    const projects = mkdtempSync(join(tmpdir(), "backplane-shared-"));
    stack.defer(() => rmSync(projects, { recursive: true, force: true }));
    const names = Object.entries({ ...ADDRESSES, front: FRONT }).map(([name, address]) => `${address} ${name}`);
    const know = (machine: Machine) => machine.paste(`cat >> /etc/hosts <<'END'\n${names.join("\n")}\nEND`);
    stack.use(await startDataMachine(network, ADDRESSES.data));
    const apps: Machine[] = [];
    for (const name of APPS) {
      // Instead of NFS.
      const options = [`--bind=${projects}:/srv/backplane/projects`];
      const given = { network, address: ADDRESSES[name], given: [tarball], options };
      const machine = stack.use(await startMachine(name, given));
      know(machine);
      machine.paste(boxesFor(name));
      apps.push(machine);
    }
    const [first = assert.fail("no machine")] = apps;
    const owner = ownerOf(first);
    for (const proxy of PROXIES) {
      await using front = await startMachine("front", { network, address: FRONT, given: [tarball] });
      know(front);
      front.paste(boxesFor("front-first"));
      front.paste(boxesFor("front", proxy));
      assert.equal(front.paste(ask(PUBLIC.platform, "/ready", "--fail")).trim(), "200");
      assert.equal(front.paste(ask(PUBLIC.gateway, "/ready", "--fail")).trim(), "200");
      await smokeTest(authorityOf(front), FRONT, owner);
      const person = await signInAs(`https://${PUBLIC.platform}`, owner);
      const answer = await person.call(`https://${PUBLIC.platform}`, "/api/system");
      const { instances, findings, silent } = (await answer.json()) as System;
      assert.deepEqual(
        instances?.map(({ name }) => name).sort(),
        APPS.map((name) => `${name}:8790`),
      );
      const url = `mqtts://${PUBLIC.platform}:8883`;
      await useOven(person, { url, key: "change-this-for-the-oven", repo: "kitchen", prefix: "owner/kitchen/" });
      assert.deepEqual([silent, findings.filter(({ state }) => state === "fault")], [[], []]);
    }
    for (const machine of apps) assert.equal(machine.paste("systemctl is-active backplane@platform").trim(), "active");
  });
});

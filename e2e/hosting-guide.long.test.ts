// docs/guides/hosting.md, word by word, on machines with a systemd of their own.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, suite, test } from "node:test";
import { VERSION } from "@backplane/kit/version";
import { noMachines, startMachine } from "./hosting/machine.ts";
import { PUBLIC } from "./hosting/public-names.ts";
import { PERSON, PROXIES, type ProxyName } from "./hosting/start-proxy.ts";
import { machinePath, ROOT } from "./support/backplane.ts";

/** The boxes for a machine, in order, as one script. */
function boxesFor(machine: string, proxy: ProxyName): string {
  const guide = readFileSync(join(ROOT, "docs/guides/hosting.md"), "utf8");
  const boxes = [...guide.matchAll(/^<!-- on: ([^;]*?)(?:; with: (\w+))? -->\n```sh\n(.*?)^```$/gms)];
  assert.equal(boxes.length, guide.match(/^```sh$/gm)?.length, "every box says where it is run");
  return boxes
    .filter(([, machines = "", by = proxy]) => machines.split(" ").includes(machine) && by === proxy)
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

suite("the guide for one machine behind a proxy", { skip: noMachines() }, () => {
  const tarball = join(ROOT, `backplane-${VERSION}.tgz`);
  before(() => {
    execFileSync("npm", ["run", "pack"], { cwd: ROOT, env: { ...process.env, PATH: machinePath() } });
  });

  for (const proxy of PROXIES) {
    test(`${proxy}: every box works, and every public name answers over TLS`, async () => {
      await using machine = await startMachine(proxy.toLowerCase(), [tarball]);
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
    });
  }
});

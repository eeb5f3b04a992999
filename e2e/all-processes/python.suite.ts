import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { isErrorCode } from "@backplane/contract/problems";
import { createVisitor } from "../../examples/connect-service/visitor.ts";
import { findCommand, python } from "../../scripts/services/find-or-install.ts";
import { Program, plainEnvironment, ROOT } from "../support/backplane.ts";
import { signInAs } from "../support/person.ts";
import { OWNER } from "../support/platform.ts";
import { ACCOUNTS, startProvider } from "../support/provider.ts";
import type { Bench } from "./bench.ts";

const CLIENT = join(ROOT, "clients/python");

/** The client for programs in Python. */
export function testPython(bench: () => Bench): void {
  let baseUrl: string;
  let gatewayUrl: string;
  let command: string;
  before(async () => {
    const { backplane } = bench();
    baseUrl = backplane.url("platform");
    gatewayUrl = backplane.url("gateway");
    command = await findCommand(python);
  });

  const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    new Program(command, ["-m", ...args], {
      cwd: CLIENT,
      env: { ...plainEnvironment(), PYTHONDONTWRITEBYTECODE: "1", ...env },
    });

  test("the Python client passes its own tests", async () => {
    const env = { BASE_URL: baseUrl, GATEWAY_URL: gatewayUrl, OWNER_PASSWORD: OWNER.password };
    await using tests = run(["unittest", "discover", "-s", "tests"], env);
    assert.equal(await tests.ended(), 0, tests.output);
    assert.match(tests.output, /^Ran [1-9]\d+ tests/m);
  });

  test("its example signs in and drives panels", async () => {
    const owner = await signInAs(baseUrl);
    await using program = run(["examples.drive_panels", baseUrl]);
    await program.prints(/Open http\S+\nApprove if the page shows [B-Z]{4}-[B-Z]{4}\./);
    const [, token = ""] = /token=(\S+)/.exec(program.output) ?? [];
    assert.equal((await owner.decide(baseUrl, token)).status, 200);
    assert.equal(await program.ended(), 0, program.output);
    assert.match(program.output, /Open http\S+\/w\/owner\/python\nWaits for a browser: /);
  });

  test("its example connects an account at a provider", async () => {
    await using provider = await startProvider({ gatewayUrl });
    const { authUrl, tokenUrl, userinfoUrl, app } = provider;
    const args = ["examples.connect", authUrl, tokenUrl, userinfoUrl, app.clientId, gatewayUrl];
    await using program = run(args, { CLIENT_SECRET: app.clientSecret });
    await program.prints(/Open http\S+\n/);
    const visitor = createVisitor();
    const signIn = await visitor.open(String(/http\S+/.exec(program.output)));
    const last = await visitor.press(await visitor.press(signIn, ACCOUNTS.ada.name), "Allow");
    assert.match(last.text, /You can close this window/);
    assert.equal(await program.ended(), 0, program.output);
    assert.match(program.output, new RegExp(`^Connected: ${ACCOUNTS.ada.name}$`, "m"));
  });

  test("its version and the codes of its errors are those of Backplane", () => {
    const sources = globSync("backplane/*.py", { cwd: CLIENT }).map((file) => readFileSync(join(CLIENT, file), "utf8"));
    const codes = sources.flatMap((text) => [...text.matchAll(/BackplaneError\(\s*"([^"]+)"/g)]);
    assert.ok(codes.length >= 10);
    for (const [, code] of codes) assert.ok(isErrorCode(code), code);
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    assert.ok(sources.some((text) => text.includes(`VERSION = "${version}"`)));
    assert.match(readFileSync(join(CLIENT, "pyproject.toml"), "utf8"), new RegExp(`^version = "${version}"$`, "m"));
  });
}

// npm run example connect-service: runs the service with a gateway and a provider, connects as a user would, and
// asserts what the user and the service get.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
// Stand-ins for what you already have: a running gateway, and a provider where your app is registered.
import { startGateway } from "../../e2e/support/gateway.ts";
import { startProvider } from "../../e2e/support/provider.ts";
import { createVisitor } from "./visitor.ts";

const SERVE = fileURLToPath(new URL("serve.ts", import.meta.url));
/** Same as the page. */
const POLL_MS = 2_000;

type Status = { configured: boolean; waiting: boolean; problem?: string };

await using gateway = await startGateway();
await using provider = await startProvider({ gatewayUrl: gateway.url });
const folder = mkdtempSync(join(tmpdir(), "connect-service-"));
let service: ChildProcess | undefined;

try {
  // What a team bundles with its program, as the provider issued it. Once bundled, the secret is not a secret.
  const credentialsFile = join(folder, "credentials.json");
  const { issuer, authUrl, tokenUrl, userinfoUrl, app } = provider;
  const asked = { scopes: "openid profile offline_access", extraParams: { prompt: "consent" } };
  writeFileSync(credentialsFile, JSON.stringify({ ...app, authUrl, tokenUrl, issuer, ...asked }));

  const args = ["--provider", "example", "--credentials", credentialsFile, "--account-url", userinfoUrl];
  const places = ["--gateway", gateway.url, "--tokens", join(folder, "tokens"), "--port", "0"];
  service = spawn(process.execPath, [SERVE, ...args, ...places], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(createInterface({ input: service.stdout ?? process.stdin }), "line");
  const url = String(line).replace("Open ", "");
  const status = async () => (await (await fetch(`${url}/status`)).json()) as Status;

  assert.deepEqual(await status(), { configured: false, waiting: false });
  assert.equal((await fetch(`${url}/account`)).status, 409);

  const declined = await connect("Grace Hopper");
  assert.match(declined.text, /The provider declined/);
  while ((await status()).waiting) await pause();
  const { configured, problem } = await status();
  assert.equal(configured, false);
  assert.match(String(problem), /not on the test-user list\. .* its owner must add your account to the test users/);
  console.log(`Grace sees: ${problem}`);

  const agreed = await connect("Ada Lovelace");
  assert.match(agreed.text, /You can close this window/);
  while (!(await status()).configured) await pause();
  const { account } = (await (await fetch(`${url}/account`)).json()) as { account: string };
  assert.equal(account, "Ada Lovelace");
  console.log(`Connected: ${account}`);

  /** From the Connect button to the gateway's last page, with a new browser for each user. */
  async function connect(name: string) {
    const visitor = createVisitor();
    const signIn = await visitor.open(`${url}/auth/example`);
    return visitor.press(await visitor.press(signIn, name), "Allow");
  }
} finally {
  if (service?.exitCode === null) {
    service.kill();
    await once(service, "exit");
  }
  rmSync(folder, { recursive: true, force: true });
}
assert.equal(service?.exitCode, 0, "The service did not stop cleanly.");

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, POLL_MS));
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { ruleTest } from "../../../../scripts/testing/rules.ts";
import type { OpenTestDatabase } from "../callers/site.suite.ts";
import { startAccounts } from "./accounts-under-test.suite.ts";

export function testProfile(engine: string, open: OpenTestDatabase): void {
  const rule = ruleTest(engine);
  test(`${engine}: display name and email address can change, separately or together; the name cannot`, async (t) => {
    const { call, owner } = await startAccounts(t, open);
    const change = async (body: unknown) => {
      const { statusCode, body: text } = await call("PATCH", "/user", owner.browser, body);
      assert.equal(statusCode, 200, text);
      const { name, display_name, email } = JSON.parse(text);
      return [name, display_name, email];
    };
    assert.deepEqual(await change({ display_name: " Ada 👩‍💻 " }), ["ada", "Ada 👩‍💻", "ada@example.com"]);
    assert.deepEqual(await change({ email: "Ada@Example.com" }), ["ada", "Ada 👩‍💻", "Ada@Example.com"]);
    assert.deepEqual(await change({ display_name: "", email: "a@example.org" }), ["ada", "ada", "a@example.org"]);
    assert.deepEqual(await change({ name: "eve", is_owner: false }), ["ada", "ada", "a@example.org"]);
  });

  test(`${engine}: an email address of another account is 409 and names the field`, async (t) => {
    const { refused, owner, person } = await startAccounts(t, open);
    await person("bob");
    const { errors } = await refused("409 email-taken", "PATCH", "/user", owner.browser, { email: "BOB@example.com" });
    assert.deepEqual(errors?.[0]?.pointer, "/email");
  });

  rule(`${engine}: only a signed-in browser can change a profile`, async (t) => {
    const { refused, owner } = await startAccounts(t, open);
    const body = { display_name: "Eve" };
    await refused("401 not-signed-in", "PATCH", "/user", {}, body);
    await refused("403 browser-session-needed", "PATCH", "/user", owner.application, body);
    await refused("403 browser-session-needed", "PATCH", "/user", owner.apiKey, body);
    await refused("403 foreign-page", "PATCH", "/user", { ...owner.browser, origin: "https://evil.example" }, body);
    for (const wrong of [{ display_name: "\u0000" }, { display_name: 7 }, { email: "ada" }, { email: null }, []]) {
      await refused("422 invalid-input", "PATCH", "/user", owner.browser, wrong);
    }
  });
}

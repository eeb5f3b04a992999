import assert from "node:assert/strict";
import { test } from "node:test";
import { ORGANISATION_LIMITS } from "@backplane/contract/accounts";
import { ruleTest } from "../../../../scripts/testing/rules.ts";
import { startAccounts } from "../accounts/accounts-under-test.suite.ts";
import type { OpenTestDatabase } from "../callers/site.suite.ts";

export function testOrganisations(engine: string, open: OpenTestDatabase): void {
  const rule = ruleTest(engine);
  test(`${engine}: the creator of an organisation is its first owner; its name is found in any case`, async (t) => {
    const { call, person, owners } = await startAccounts(t, open);
    const bob = await person("bob");
    const made = await call("POST", "/auth/organisations", bob.browser, { name: "Lab", display_name: " The lab " });
    const { id, ...shown } = made.json();
    const lab = { name: "Lab", display_name: "The lab", members: [{ name: "bob", role: "owner" }], invited: [] };
    assert.deepEqual([made.statusCode, shown, id], [201, lab, await owners.idOf("lab")]);
    assert.deepEqual((await call("GET", "/auth/organisations/lAB", bob.browser)).json(), { id, ...lab });
    const list = { organisations: [{ id, ...lab }], invitations: [] };
    assert.deepEqual((await call("GET", "/auth/organisations", bob.browser)).json(), list);
  });

  rule(`${engine}: GET /user/orgs → [{name, display_name, role}]`, async (t) => {
    const { call, refused, person } = await startAccounts(t, open);
    const [bob, eve] = [await person("bob"), await person("eve")];
    await call("POST", "/auth/organisations", bob.browser, { name: "Lab", display_name: "The lab" });
    await call("POST", "/auth/organisations", eve.browser, { name: "club" });
    await call("PUT", "/auth/organisations/club/members/bob", eve.browser, { role: "member" });
    const orgs = async () => (await call("GET", "/user/orgs", bob.apiKey)).json();
    const lab = { name: "Lab", display_name: "The lab", role: "owner" };
    assert.deepEqual(await orgs(), [lab], "an invitation counts for nothing until it is accepted");
    await call("POST", "/auth/organisations/club/accept", bob.browser);
    assert.deepEqual(await orgs(), [{ name: "club", display_name: "club", role: "member" }, lab]);
    await refused("401 not-signed-in", "GET", "/user/orgs");
  });

  rule(`${engine}: only its members see an organisation, with any credential that may read`, async (t) => {
    const { call, refused, person, owner, database } = await startAccounts(t, open);
    const bob = await person("bob");
    await call("POST", "/auth/organisations", bob.browser, { name: "lab" });
    for (const credential of [bob.browser, bob.application, bob.apiKey]) {
      assert.equal((await call("GET", "/auth/organisations/lab", credential)).statusCode, 200);
    }
    await refused("404 not-found", "GET", "/auth/organisations/lab", owner.browser);
    await refused("404 not-found", "GET", "/auth/organisations/bob", bob.browser);
    const none = { organisations: [], invitations: [] };
    assert.deepEqual((await call("GET", "/auth/organisations", owner.browser)).json(), none);
    await refused("401 not-signed-in", "GET", "/auth/organisations/lab");
    await refused("401 not-signed-in", "GET", "/auth/organisations");
    await database.durable.updateTable("api_keys").set({ scopes: "publish" }).where("user_id", "=", owner.id).execute();
    await refused("403 scope-missing", "GET", "/auth/organisations", owner.apiKey);
  });

  rule(`${engine}: people and organisations share one set of names, some of them reserved`, async (t) => {
    const { call, refused, person, owner } = await startAccounts(t, open);
    const bob = await person("bob");
    await call("POST", "/auth/organisations", bob.browser, { name: "lab" });
    for (const name of [
      "BOB",
      "ada",
      "LAB",
      "Lab",
      "w",
      "API",
      "auth",
      "docs",
      "registry",
      "admin",
      "root",
      "system",
    ]) {
      const { errors } = await refused("409 name-taken", "POST", "/auth/organisations", owner.browser, { name });
      assert.equal(errors?.[0]?.pointer, "/name");
    }
    const { organisations } = (await call("GET", "/auth/organisations", owner.browser)).json();
    assert.deepEqual(organisations, [], "refused calls left nothing behind");
  });

  test(`${engine}: of many concurrent organisations with the same name, one is created`, async (t) => {
    const { call, person } = await startAccounts(t, open);
    const people = await Promise.all(["bob", "eve", "joe", "kim"].map(person));
    const answers = await Promise.all(
      people.map(({ browser }, n) => call("POST", "/auth/organisations", browser, { name: n % 2 ? "lab" : "LAB" })),
    );
    assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [201, 409, 409, 409]);
  });

  test(`${engine}: nobody is in more than ${ORGANISATION_LIMITS.maxPerUser} organisations, however many are created at once`, async (t) => {
    const { call, refused, person, owner } = await startAccounts(t, open);
    const bob = await person("bob");
    const names = Array.from({ length: ORGANISATION_LIMITS.maxPerUser + 3 }, (_, n) => `lab${n}`);
    // In groups: fifty transactions that wait for one lock would exhaust the connections of a busy server.
    const group = 9;
    const answers: Awaited<ReturnType<typeof call>>[] = [];
    for (let at = 0; at < names.length; at += group) {
      const creating = names
        .slice(at, at + group)
        .map((name) => call("POST", "/auth/organisations", bob.browser, { name }));
      answers.push(...(await Promise.all(creating)));
    }
    const made = answers.filter(({ statusCode }) => statusCode === 201);
    assert.equal(made.length, ORGANISATION_LIMITS.maxPerUser);
    await refused("409 too-many-of-these", "POST", "/auth/organisations", bob.browser, { name: "one-more" });
    await call("POST", "/auth/organisations", owner.browser, { name: "other" });
    const invite = ["PUT", "/auth/organisations/other/members/bob", owner.browser, { role: "member" }] as const;
    assert.equal((await call(...invite)).statusCode, 200, "this tells nothing about the organisations of others");
    const accept = ["POST", "/auth/organisations/other/accept", bob.browser] as const;
    await refused("409 too-many-of-these", ...accept);
    await call("DELETE", `/auth/organisations/${made[0]?.json().name}`, bob.browser);
    assert.equal((await call(...accept)).statusCode, 200, "the invitation is still there");
  });

  test(`${engine}: its owners can remove an organisation, and its name is free again`, async (t) => {
    const { call, refused, person, join, owner } = await startAccounts(t, open);
    const [bob, eve] = [await person("bob"), await person("eve")];
    await call("POST", "/auth/organisations", bob.browser, { name: "lab" });
    await join(bob, "lab", eve, "member");
    await refused("403 owner-only", "DELETE", "/auth/organisations/lab", eve.browser);
    await refused("404 not-found", "DELETE", "/auth/organisations/lab", owner.browser);
    assert.equal((await call("DELETE", "/auth/organisations/LAB", bob.browser)).statusCode, 204);
    await refused("404 not-found", "GET", "/auth/organisations/lab", eve.browser);
    assert.equal((await call("POST", "/auth/organisations", owner.browser, { name: "lab" })).statusCode, 201);
  });

  rule(`${engine}: only a signed-in browser can change organisations; wrong fields are named`, async (t) => {
    const { call, refused, owner } = await startAccounts(t, open);
    await call("POST", "/auth/organisations", owner.browser, { name: "lab" });
    for (const [method, url, body] of [
      ["POST", "/auth/organisations", { name: "other" }],
      ["DELETE", "/auth/organisations/lab", undefined],
      ["PUT", "/auth/organisations/lab/members/ada", { role: "owner" }],
      ["DELETE", "/auth/organisations/lab/members/ada", undefined],
      ["POST", "/auth/organisations/lab/accept", undefined],
    ] as const) {
      await refused("401 not-signed-in", method, url, {}, body);
      await refused("403 browser-session-needed", method, url, owner.application, body);
      await refused("403 browser-session-needed", method, url, owner.apiKey, body);
      await refused("403 foreign-page", method, url, { ...owner.browser, origin: "https://evil.example" }, body);
    }
    const faults = [{}, { name: "" }, { name: "a b" }, { name: "lаb" }, { name: 7 }, { name: "x".repeat(40) }, [], "7"];
    for (const body of [...faults, { name: "a", display_name: "\u0000" }, { name: "a", display_name: null }]) {
      await refused("422 invalid-input", "POST", "/auth/organisations", owner.browser, body);
    }
    await refused("400 invalid-parameter", "GET", "/auth/organisations/%00", owner.browser);
  });

  rule(`${engine}: every route has a summary and a tag in the API reference`, async (t) => {
    const { app } = await startAccounts(t, open);
    const { paths } = (await app.inject("/openapi.json")).json() as {
      paths: Record<string, Record<string, { summary?: string; tags?: string[] }>>;
    };
    const ours = Object.entries(paths).filter(([path]) => /^\/(auth|user)/.test(path));
    const described = ours.flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { summary = "", tags = [] }]) => ({
        what: `${method} ${path}`,
        summary,
        tags,
      })),
    );
    for (const { what, summary, tags } of described) assert.ok(summary !== "" && tags.length === 1, what);
    assert.deepEqual(described.map(({ what }) => what).sort(), [
      "delete /auth/invitations/{id}",
      "delete /auth/organisations/{name}",
      "delete /auth/organisations/{name}/members/{user}",
      "delete /auth/users/{name}",
      "get /auth/invitations",
      "get /auth/organisations",
      "get /auth/organisations/{name}",
      "get /auth/users",
      "get /user/orgs",
      "patch /user",
      "post /auth/accounts",
      "post /auth/invitations",
      "post /auth/invitations/check",
      "post /auth/organisations",
      "post /auth/organisations/{name}/accept",
      "post /auth/password/reset",
      "post /auth/password/reset/check",
      "post /auth/users/{name}/reset-link",
      "put /auth/organisations/{name}/members/{user}",
      "put /auth/password",
    ]);
  });
}

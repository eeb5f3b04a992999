import assert from "node:assert/strict";
import { test } from "node:test";
import { takeFromAddress } from "./address-secrets.ts";

const tab = () => {
  const items = new Map<string, string>();
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
  };
};

test("the token of a sign-in link leaves the address and is kept for a reload", () => {
  const kept = tab();
  const first = takeFromAddress("http://localhost:8790/auth/intent?token=abc&lang=en", kept);
  assert.deepEqual(first, { address: "/auth/intent?lang=en", secrets: { intent: "abc" } });
  const reloaded = takeFromAddress("http://localhost:8790/auth/intent", kept);
  assert.deepEqual(reloaded, { address: "/auth/intent", secrets: { intent: "abc" } });
});

test("an invitation or a reset leaves the fragment of the address and is kept for a reload", () => {
  for (const [page, name] of [
    ["/auth/join", "invitation"],
    ["/auth/reset", "reset"],
  ] as const) {
    const kept = tab();
    const first = takeFromAddress(`http://localhost:8790${page}#xyz`, kept);
    assert.deepEqual(first, { address: page, secrets: { [name]: "xyz" } });
    assert.equal(takeFromAddress(`http://localhost:8790${page}`, kept).secrets[name], "xyz");
  }
});

test("a new link in the same tab replaces the one before", () => {
  const kept = tab();
  takeFromAddress("http://localhost:8790/auth/intent?token=old", kept);
  assert.equal(takeFromAddress("http://localhost:8790/auth/intent?token=new", kept).secrets.intent, "new");
});

test("a link without its secret has none", () => {
  assert.deepEqual(takeFromAddress("http://localhost:8790/auth/intent?token=", tab()), {
    address: "/auth/intent",
    secrets: {},
  });
  assert.deepEqual(takeFromAddress("http://localhost:8790/auth/join", tab()).secrets, {});
});

test("a value longer than any secret is ignored", () => {
  assert.deepEqual(takeFromAddress(`http://localhost:8790/auth/intent?token=${"a".repeat(300)}`, tab()), {
    address: "/auth/intent",
    secrets: {},
  });
});

test("other pages keep their address", () => {
  const { address, secrets } = takeFromAddress("http://localhost:8790/account?token=abc#keys", tab());
  assert.equal(address, "/account?token=abc#keys");
  assert.deepEqual(secrets, {});
});

test("a tab without storage uses the secret at once", () => {
  const blocked = {
    getItem: () => {
      throw new Error("blocked");
    },
    setItem: () => {
      throw new Error("blocked");
    },
  };
  assert.equal(takeFromAddress("http://localhost:8790/auth/intent?token=abc", blocked).secrets.intent, "abc");
  assert.deepEqual(takeFromAddress("http://localhost:8790/auth/intent", blocked).secrets, {});
});

import assert from "node:assert/strict";
import { sign } from "node:crypto";
import { describe, test } from "node:test";
import fc from "fast-check";
import { trials } from "../../../../scripts/testing/long.ts";
import { newSigningKey, privateKeyObject, publicKeyOf } from "./keys.ts";
import { NOW_S, repositoryWith, sampleKey, sampleStatement, signedRepository } from "./samples.suite.ts";
import { type IndexStatement, SIGNED_KEY, SIGNING_LIMITS, type SignedIndex, signIndex } from "./signed-index.ts";
import { type VerifiedIndex, verifyIndex } from "./verify.ts";

const verify = (repository: Record<string, unknown>): VerifiedIndex => verifyIndex(repository, { nowS: NOW_S });
const isMalformed = (verified: VerifiedIndex) => "refusal" in verified && verified.refusal.code === "malformed";

/** A valid signature over any content. */
function signText(text: string | Buffer): SignedIndex {
  const bytes = Buffer.from(text);
  const signature = sign(null, bytes, privateKeyObject(sampleKey)).toString("base64url");
  return { statement: bytes.toString("base64url"), signatures: [{ key_id: sampleKey.id, signature }] };
}

describe("statements that are correctly signed but malformed", () => {
  const changes: Record<string, object> = {
    "another format": { format: "backplane-index-2" },
    "no name": { name: undefined },
    "a name that is too long": { name: "n".repeat(501) },
    "an invalid brand": { brand: "Tool" },
    "a counter that is not a number": { counter: "7" },
    "a negative counter": { counter: -1 },
    "half a count": { counter: 1.5 },
    "a counter past what a number holds": { counter: 2 ** 53 },
    "no expiry": { expires: null },
    "an expiry before the issue": { expires: NOW_S - 1 },
    "a life without end": { expires: NOW_S + SIGNING_LIMITS.maxLifeS + 1 },
    "no packages": { packages: undefined },
    "a hash in capitals": { packages: { sha256: "A".repeat(64), size: 1 } },
    "a size below nothing": { packages: { sha256: "a".repeat(64), size: -1 } },
    "resources that are no file": { resources: [] },
    "manifests that are null": { manifests: null },
    "no keys": { keys: [] },
    "keys that are no list": { keys: { 0: publicKeyOf(sampleKey) } },
    "too many keys": { keys: Array.from({ length: SIGNING_LIMITS.maxKeys + 1 }, () => publicKeyOf(newSigningKey())) },
    "a key twice": { keys: [publicKeyOf(sampleKey), publicKeyOf(sampleKey)] },
    "a key under another's id": { keys: [{ ...publicKeyOf(newSigningKey()), id: sampleKey.id }] },
    "more bytes than are read": { more: "m".repeat(SIGNING_LIMITS.maxStatementBytes) },
  };
  for (const [name, change] of Object.entries(changes)) {
    test(`${name}: refused, and never made by us`, () => {
      const statement = { ...sampleStatement(), ...change } as IndexStatement;
      assert.ok(isMalformed(verify(repositoryWith(signText(JSON.stringify(statement))))));
      if (name !== "more bytes than are read") assert.throws(() => signIndex(statement, [sampleKey]), RangeError);
    });
  }

  for (const text of ["", "null", "[]", "7", "{", '"{}"', "[".repeat(8_000), `${"{".repeat(100)}`, "\ufeff{}"]) {
    test(`${JSON.stringify(text.slice(0, 12))} is not a statement`, () => {
      assert.ok(isMalformed(verify(repositoryWith(signText(text)))));
    });
  }

  test("bytes that are not UTF-8 are not a statement", () => {
    const bytes = Buffer.from(JSON.stringify(sampleStatement()));
    bytes[bytes.indexOf("Samples")] = 0xff;
    assert.ok(isMalformed(verify(repositoryWith(signText(bytes)))));
  });

  test("unknown keys are ignored, including __proto__", () => {
    const text = JSON.stringify(sampleStatement()).replace("{", '{"__proto__":{"counter":99},"later":true,');
    const verified = verify(repositoryWith(signText(text)));
    assert.ok("statement" in verified);
    assert.deepEqual(verified.statement, sampleStatement());
  });
});

describe("signed indexes that are malformed", () => {
  const good = signIndex(sampleStatement(), [sampleKey]);
  const [signature] = good.signatures;
  const cases: Record<string, unknown> = {
    null: null,
    "a text": "signed",
    "a list": [good],
    "no statement": { signatures: good.signatures },
    "a statement that is an object": { ...good, statement: sampleStatement() },
    "a statement with padding": { ...good, statement: `${good.statement}==` },
    "a statement in the other alphabet": { ...good, statement: `${good.statement}+/` },
    "a statement with a blank": { ...good, statement: ` ${good.statement}` },
    "an oversized statement": { ...good, statement: "A".repeat(1_000_000) },
    "no signatures": { statement: good.statement },
    "signatures that are no list": { ...good, signatures: signature },
    "a signature that is null": { ...good, signatures: [null] },
    "a signature without an id": { ...good, signatures: [{ signature: signature?.signature }] },
    "the same key twice": { ...good, signatures: [signature, signature] },
    "too many signatures": { ...good, signatures: Array.from({ length: 9 }, () => signature) },
    "an oversized signature": { ...good, signatures: [{ ...signature, signature: "A".repeat(1_000) }] },
  };
  for (const [name, value] of Object.entries(cases)) {
    test(name, () => {
      assert.ok(isMalformed(verify({ ...signedRepository(), [SIGNED_KEY]: value })));
    });
  }

  test("a signature that is too short is invalid", () => {
    const signatures = [{ key_id: sampleKey.id, signature: "AAAA" }];
    const verified = verify({ ...signedRepository(), [SIGNED_KEY]: { ...good, signatures } });
    assert.ok("refusal" in verified && verified.refusal.code === "bad-signature");
  });
});

describe("properties", () => {
  const text = JSON.stringify(signedRepository());

  test("no change of one byte of repository.json changes what is accepted", () => {
    const bytes = Buffer.from(text);
    const place = fc.nat(bytes.length - 1);
    fc.assert(
      fc.property(place, fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ flip;
        let value: unknown;
        try {
          value = JSON.parse(changed.toString());
        } catch {
          return;
        }
        const verified = verify(value as Record<string, unknown>);
        if ("statement" in verified) assert.deepEqual(verified.statement, sampleStatement());
        // Without this key it looks like an unsigned repository, which clients that saw it signed refuse.
        if ("unsigned" in verified) assert.ok(!changed.toString().includes(`"${SIGNED_KEY}"`));
      }),
      { numRuns: trials(3_000) },
    );
  });

  test("whatever replaces the signed index, it is refused and nothing is thrown", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.ok("refusal" in verify({ ...signedRepository(), [SIGNED_KEY]: value }));
      }),
    );
  });

  test("signed content that is not a statement is refused and nothing is thrown", () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        assert.ok("refusal" in verify(repositoryWith(signText(json))));
      }),
    );
  });

  test("every valid statement is read back as it was signed", () => {
    const sha256 = fc.stringMatching(/^[a-f0-9]{64}$/);
    const file = fc.record({ sha256, size: fc.maxSafeNat() }, { noNullPrototype: true });
    const changes = fc.record({
      name: fc.string({ maxLength: 500 }),
      counter: fc.maxSafeNat(),
      packages: file,
      resources: file,
    });
    fc.assert(
      fc.property(changes, (change) => {
        const verified = verify(signedRepository(change));
        assert.ok("statement" in verified);
        assert.deepEqual(verified.statement, sampleStatement(change));
      }),
    );
  });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { newSigningKey, publicKeyOf, type SigningKey } from "./keys.ts";
import { NOW_S, repositoryWith, sampleKey, sampleStatement, shaOf, signedRepository } from "./samples.suite.ts";
import { type IndexStatement, SIGNED_KEY, SIGNING_LIMITS, signIndex, type TrustedIndex } from "./signed-index.ts";
import { type VerifyOptions, verifyIndex } from "./verify.ts";

type Repository = Record<string, unknown>;
const verify = (repository: Repository, options: Partial<VerifyOptions> = {}) =>
  verifyIndex(repository, { nowS: NOW_S, ...options });

function trustIn(repository: Repository, options: Partial<VerifyOptions> = {}): TrustedIndex {
  const verified = verify(repository, options);
  assert.ok("trust" in verified, JSON.stringify(verified));
  return verified.trust;
}

function codeOf(repository: Repository, options: Partial<VerifyOptions> = {}): string {
  const verified = verify(repository, options);
  assert.ok("refusal" in verified, JSON.stringify(verified));
  assert.match(verified.refusal.message, /\. .+\.$|: .+\.$/);
  return verified.refusal.code;
}

describe("the first visit", () => {
  test("the statement's own keys are trusted and remembered", () => {
    const verified = verify(signedRepository());
    assert.ok("trust" in verified);
    assert.deepEqual(verified.statement, sampleStatement());
    const { keys, counter, name, brand } = verified.trust;
    assert.deepEqual(
      { keys, counter, name, brand },
      { keys: [publicKeyOf(sampleKey)], counter: 7, name: "Samples", brand: "tool" },
    );
  });

  test("an unsigned repository is reported as unsigned, and is not a fault", () => {
    assert.deepEqual(verify(repositoryWith(undefined)), { unsigned: true });
  });

  test("a signature by none of the statement's keys is invalid", () => {
    assert.equal(codeOf(signedRepository({}, [newSigningKey()])), "unknown-key");
  });

  test("the signature of another statement is invalid", () => {
    const { signatures } = signIndex(sampleStatement({ counter: 8 }), [sampleKey]);
    const { statement } = signIndex(sampleStatement(), [sampleKey]);
    assert.equal(codeOf(repositoryWith({ statement, signatures })), "bad-signature");
  });
});

describe("two versions of the schema", () => {
  const changes = { packages_v2: { sha256: shaOf("packages in version 2"), size: 21 } };
  const first = signedRepository(changes);
  const packages = { url: "https://example.org/2.json", sha256: changes.packages_v2.sha256, update_timestamp: NOW_S };
  const second = { ...first, schema_version: 2, packages };

  test("one statement covers both lists, so a client may change from one to the other", () => {
    assert.deepEqual(trustIn(second, { trusted: trustIn(first) }), trustIn(first));
    assert.deepEqual(trustIn(first, { trusted: trustIn(second) }), trustIn(first));
  });

  test("each version must name its own list", () => {
    assert.equal(codeOf({ ...first, packages }), "bad-signature");
    assert.equal(codeOf({ ...first, schema_version: 2 }), "bad-signature");
  });

  test("without a second list, both name the same one", () => {
    assert.ok(trustIn({ ...signedRepository(), schema_version: 2 }));
  });
});

describe("a later visit", () => {
  const trusted = trustIn(signedRepository());

  test("the same statement again is fine", () => {
    assert.deepEqual(trustIn(signedRepository(), { trusted }), trusted);
  });

  test("a higher counter is fine, also when some were missed", () => {
    assert.equal(trustIn(signedRepository({ counter: 90 }), { trusted }).counter, 90);
  });

  test("rollback: a lower counter is refused, however well it is signed", () => {
    assert.equal(codeOf(signedRepository({ counter: 6 }), { trusted }), "rollback");
  });

  test("freeze: after `expires` it is no longer accepted", () => {
    assert.equal(
      codeOf(signedRepository(), { trusted, nowS: NOW_S + 3_600 + SIGNING_LIMITS.toleranceS + 1 }),
      "expired",
    );
    assert.equal(codeOf(signedRepository(), { nowS: NOW_S + 30 * 24 * 3_600 }), "expired");
  });

  test("the same counter with different content is refused", () => {
    const packages = { sha256: shaOf("others"), size: 6 };
    assert.equal(codeOf(signedRepository({ packages }), { trusted }), "changed-without-counting");
    assert.equal(codeOf(signedRepository({ expires: NOW_S + 7_200 }), { trusted }), "changed-without-counting");
  });

  test("a missing signature is refused once there was one", () => {
    assert.equal(codeOf(repositoryWith(undefined), { trusted }), "unsigned");
  });

  test("a repository signed by somebody else is refused, with or without their keys in it", () => {
    const other = newSigningKey();
    assert.equal(
      codeOf(signedRepository({ counter: 8, keys: [publicKeyOf(other)] }, [other]), { trusted }),
      "unknown-key",
    );
    assert.equal(codeOf(signedRepository({ counter: 8 }, [other]), { trusted }), "unknown-key");
  });

  test("a trusted key's id with the signature of another key is refused", () => {
    const other = newSigningKey();
    const forged: SigningKey = { ...other, id: sampleKey.id };
    assert.equal(codeOf(signedRepository({ counter: 8 }, [forged]), { trusted }), "bad-signature");
  });
});

describe("the clock", () => {
  test("clocks may differ by the tolerance, at both ends, and no more", () => {
    const { toleranceS } = SIGNING_LIMITS;
    trustIn(signedRepository(), { nowS: NOW_S - toleranceS });
    trustIn(signedRepository(), { nowS: NOW_S + 3_600 + toleranceS });
    assert.equal(codeOf(signedRepository(), { nowS: NOW_S - toleranceS - 1 }), "from-the-future");
    assert.equal(codeOf(signedRepository(), { nowS: NOW_S + 3_600 + toleranceS + 1 }), "expired");
  });

  test("a refusal because of time leaves the trusted state unchanged", () => {
    assert.ok(!("trust" in verify(signedRepository({ counter: 99 }), { nowS: NOW_S + 1e7 })));
  });
});

describe("rotation", () => {
  const [old, next, third] = [sampleKey, newSigningKey(), newSigningKey()];
  const trusted = trustIn(signedRepository());
  const rotated = trustIn(signedRepository({ counter: 8, keys: [publicKeyOf(next)] }, [old, next]), { trusted });

  test("the old key introduces the new one, which replaces it", () => {
    assert.deepEqual(rotated.keys, [publicKeyOf(next)]);
    trustIn(signedRepository({ counter: 9, keys: [publicKeyOf(next)] }, [next]), { trusted: rotated });
  });

  test("a key that was removed no longer counts", () => {
    assert.equal(codeOf(signedRepository({ counter: 9 }, [old]), { trusted: rotated }), "unknown-key");
  });

  test("a client that visits late is moved to the new key while the old one still signs", () => {
    const late = trustIn(signedRepository({ counter: 30, keys: [publicKeyOf(next)] }, [old, next]), { trusted });
    assert.deepEqual(late.keys, [publicKeyOf(next)]);
  });

  test("a client that visits too late needs a person to confirm the new key", () => {
    assert.equal(
      codeOf(signedRepository({ counter: 30, keys: [publicKeyOf(next)] }, [next]), { trusted }),
      "unknown-key",
    );
  });

  test("of several keys any one is enough", () => {
    const keys = [old, next, third].map(publicKeyOf);
    const both = trustIn(signedRepository({ counter: 8, keys }, [old]), { trusted });
    for (const key of [old, next, third]) trustIn(signedRepository({ counter: 9, keys }, [key]), { trusted: both });
  });
});

describe("which repository it is", () => {
  const trusted = trustIn(signedRepository());

  test("the statement of another repository by the same key is refused", () => {
    assert.equal(codeOf(signedRepository({ counter: 8, name: "Others" }), { trusted }), "another-repository");
  });

  test("the statement for another brand by the same key is refused, on the first visit too", () => {
    assert.equal(codeOf(signedRepository({ counter: 8, brand: "kicad" }), { trusted }), "another-repository");
    assert.equal(codeOf(signedRepository({ brand: "kicad" }), { brand: "tool" }), "another-repository");
    trustIn(signedRepository({ brand: "kicad" }), { brand: "kicad" });
  });

  test("a name outside the statement that differs from it is refused", () => {
    assert.equal(codeOf({ ...signedRepository(), name: "Others" }), "another-repository");
  });

  test("files that differ from the statement are refused: another hash, an extra file, a missing file", () => {
    const repository = signedRepository();
    const packages = { ...(repository.packages as object), sha256: shaOf("others") };
    assert.equal(codeOf({ ...repository, packages }), "bad-signature");
    assert.equal(codeOf({ ...repository, resources: undefined }), "bad-signature");
    const { manifests: _, ...without } = sampleStatement();
    const signed = signIndex(without as IndexStatement, [sampleKey]);
    assert.equal(codeOf(repositoryWith(signed)), "bad-signature");
  });

  test("a signed index that is only inherited does not count", () => {
    const repository = signedRepository();
    const { [SIGNED_KEY]: signed, ...rest } = repository;
    const inheriting = Object.assign(Object.create({ [SIGNED_KEY]: signed }), rest) as Repository;
    assert.deepEqual(verify(inheriting), { unsigned: true });
  });
});

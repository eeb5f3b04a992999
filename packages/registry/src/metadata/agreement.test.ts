import assert from "node:assert/strict";
import { test } from "node:test";
import type { SchemaVersion } from "@backplane/contract/registry";
import { Ajv } from "ajv";
import { trials } from "../../../../scripts/testing/long.ts";
import { createChecker } from "./check.ts";
import { corpus } from "./corpus/corpus.suite.ts";
import { mutants } from "./corpus/mutants.suite.ts";
import { type MetadataKind, publishedSchema } from "./schemas.ts";

const MUTANTS = trials(10_000);
const SEED = 20_261_115;
const ID = "https://packages.example/schemas/package.v1.json";

type Options = { version?: SchemaVersion; looseUrls?: boolean };

/** Plain ajv, as anybody would use it with the served schema. */
function plainValidators(brand: string, options: Options): (kind: MetadataKind, value: unknown) => boolean {
  const ajv = new Ajv();
  ajv.addSchema(publishedSchema(brand, ID, options));
  return (kind, value) => ajv.validate(`${ID}#/definitions/${kind}`, value);
}

const CASES: readonly [brand: string, options: Options][] = [
  ["kicad", {}],
  ["kicad", { looseUrls: true }],
  ["kicad", { version: 2 }],
  ["tool", {}],
];

for (const [brand, options] of CASES) {
  const rule = options.looseUrls ? ", the field's rule for addresses" : "";
  const how = `${brand}, version ${options.version ?? 1}${rule}`;
  const check = createChecker(brand, options);
  const isPlainlyRight = plainValidators(brand, options);

  test(`ours and plain ajv on the published schema agree on every file of the corpus (${how})`, () => {
    for (const { file, kind, value } of corpus) {
      const checked = check(JSON.stringify(value), kind);
      assert.equal("value" in checked, isPlainlyRight(kind, value), file);
    }
  });

  test(`ours and plain ajv agree on ${MUTANTS.toLocaleString("en")} mutants of them (${how})`, () => {
    const verdicts = { right: 0, wrong: 0 };
    for (const { file, kind, value } of mutants(MUTANTS, SEED)) {
      const isRight = isPlainlyRight(kind, value);
      const checked = check(JSON.stringify(value), kind);
      assert.equal("value" in checked, isRight, `${file}: ${JSON.stringify(value)}`);
      if ("faults" in checked) assert.ok(checked.faults.length > 0, file);
      verdicts[isRight ? "right" : "wrong"] += 1;
    }
    // Otherwise it proves nothing.
    assert.ok(
      Math.min(verdicts.right, verdicts.wrong) > MUTANTS * (brand === "tool" ? 0.05 : 0.15),
      JSON.stringify(verdicts),
    );
  });
}

test("an offered fix removes its fault", () => {
  const check = createChecker("kicad");
  let fixed = 0;
  for (const { file, kind, value } of [...corpus, ...mutants(2_000, SEED)]) {
    const before = check(JSON.stringify(value), kind);
    if (!("faults" in before)) continue;
    for (const { pointer, fix } of before.faults) {
      if (fix === undefined) continue;
      const after = check(JSON.stringify(withValue(value, pointer, fix)), kind);
      assert.ok("value" in after || !after.faults.some((fault) => fault.pointer === pointer), `${file}${pointer}`);
      fixed += 1;
    }
  }
  assert.ok(fixed > 40, String(fixed));
});

function withValue(root: unknown, pointer: string, value: string): unknown {
  const copy = structuredClone(root) as Record<string, unknown>;
  const parts = pointer.split("/").slice(1);
  const last = parts.pop() ?? "";
  const holder = parts.reduce((place, part) => place[part] as Record<string, unknown>, copy);
  holder[last] = value;
  return copy;
}

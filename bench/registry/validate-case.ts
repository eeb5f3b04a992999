import { Ajv } from "ajv";
import { createValueChecker } from "../../packages/registry/src/metadata/check.ts";
import { publishedSchema } from "../../packages/registry/src/metadata/schemas.ts";
import { BenchFault } from "../harness/fault.ts";
import { collectGarbage } from "../harness/garbage.ts";
import { quickSliceMs, sliceMs, warmUpSliceMs } from "../harness/limits.ts";
import type { Measurement } from "../harness/round.ts";
import { runRounds } from "../harness/rounds.ts";
import type { Session } from "../harness/session.ts";
import { packagesText } from "./validate-packages.ts";
import { findPython, pythonMissing, startPython } from "./validate-python.ts";

const PACKAGES = 10_000;
const BRAND = "kicad";
const ID = "https://packages.example/schemas/package.v1.json";
const [OURS, AJV, PYTHON] = ["registry's check", "ajv compiled", "python3-jsonschema"];

/** Checks a large packages.json, each on the value from its own JSON parser. */
export async function validate(session: Session): Promise<void> {
  const title = "Registry, validate packages.json";
  session.progress(`${title}: making ${PACKAGES} packages`);
  const text = packagesText(PACKAGES, BRAND);
  const value = JSON.parse(text) as unknown;
  const schema = { ...publishedSchema(BRAND, ID), allOf: [{ $ref: "#/definitions/PackageArray" }] };
  const check = createValueChecker(BRAND);
  const compiled = new Ajv().compile(schema);
  const isRight = () => "value" in check(text, value, "PackageArray");
  const isRightForAjv = () => compiled(value);
  for (const verdict of [isRight, isRightForAjv]) measureSlice(verdict, warmUpSliceMs);
  const forMs = session.quick ? quickSliceMs : sliceMs;
  const contestants = new Map<string, () => Promise<Measurement>>([
    [OURS, async () => measureSlice(isRight, forMs)],
    [AJV, async () => measureSlice(isRightForAjv, forMs)],
  ]);

  await using open = new AsyncDisposableStack();
  const program = await findPython();
  if (program === undefined) session.say([`${title}: ${pythonMissing}`]);
  else {
    const python = open.use(startPython(program, schema, text));
    contestants.set(PYTHON, () => python.measure(PACKAGES));
  }
  const [, ...peers] = contestants.keys();
  const rounds = await runRounds(session, {
    title,
    labels: [OURS, ...peers],
    async measure(label) {
      const measured = await contestants.get(label)?.();
      if (measured === undefined) throw new BenchFault(`${title}: there is no ${label}.`);
      return measured;
    },
  });
  const targets = [
    { measure: "per CPU-s", peer: AJV, atLeast: 1 },
    { measure: "per CPU-s", peer: PYTHON, atLeast: 20 },
  ] as const;
  session.report({
    title,
    description: `${PACKAGES.toLocaleString("en")} packages with three versions each, ${Math.round(text.length / 1e6)} MB, parsed`,
    unit: "packages",
    ours: OURS,
    peers,
    rounds,
    targets: targets.filter(({ peer }) => contestants.has(peer)),
  });
}

function measureSlice(isValid: () => boolean, forMs: number): Measurement {
  // One contestant's garbage must not be collected during another's turn.
  collectGarbage();
  let operations = 0;
  let wallMs = 0;
  const cpuBefore = process.cpuUsage();
  const startMs = performance.now();
  while (wallMs < forMs) {
    if (!isValid()) throw new BenchFault("A valid value was refused.");
    operations += PACKAGES;
    wallMs = performance.now() - startMs;
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  return { operations, wallS: wallMs / 1_000, cpuS: (user + system) / 1_000_000 };
}

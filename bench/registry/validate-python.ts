import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { canInstall, install } from "../../scripts/services/apt.ts";
import { findProgram } from "../../scripts/services/on-path.ts";
import { BenchFault } from "../harness/fault.ts";
import type { Measurement } from "../harness/round.ts";

const PACKAGE = "python3-jsonschema";
/** The system's own first, because it finds Debian's package. */
const SYSTEM_FOLDER = "/usr/bin";

/** Validates the file once per line that it reads, and prints how long that took. */
const PROGRAM = `
import json, sys, time
import jsonschema
with open(sys.argv[1]) as file: schema = json.load(file)
with open(sys.argv[2]) as file: value = json.load(file)
validator = jsonschema.Draft7Validator(schema)
for line in sys.stdin:
    wall, cpu = time.perf_counter(), time.process_time()
    valid = validator.is_valid(value)
    print(json.dumps({"valid": valid, "wallS": time.perf_counter() - wall, "cpuS": time.process_time() - cpu}), flush=True)
`;

export type PythonValidator = AsyncDisposable & {
  /** One validation of everything. */
  measure(operations: number): Promise<Measurement>;
};

/** Python with jsonschema: found, else installed, else undefined. */
export async function findPython(): Promise<string | undefined> {
  const here = pythonWithModule();
  if (here !== undefined || !canInstall()) return here;
  await install([PACKAGE]).catch(() => undefined);
  return pythonWithModule();
}

export const pythonMissing = `Python's jsonschema is not installed, so it is left out. Install it (Debian: apt-get install ${PACKAGE}) or run this as root.`;

function pythonWithModule(): string | undefined {
  const programs = [join(SYSTEM_FOLDER, "python3"), findProgram(["python3"])];
  return programs.find(
    (program) => program && spawnSync(program, ["-W", "ignore", "-c", "import jsonschema"]).status === 0,
  );
}

export function startPython(program: string, schema: object, text: string): PythonValidator {
  const folder = mkdtempSync(join(tmpdir(), "backplane-bench-"));
  const files = ["schema.json", "packages.json"].map((name) => join(folder, name));
  const [schemaFile = "", textFile = ""] = files;
  writeFileSync(schemaFile, JSON.stringify(schema));
  writeFileSync(textFile, text);
  const child = spawn(program, ["-W", "ignore", "-c", PROGRAM, schemaFile, textFile]);
  const faults: string[] = [];
  child.stderr.on("data", (chunk: Buffer) => faults.push(chunk.toString()));
  child.stdin.on("error", () => undefined);
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async measure(operations) {
      child.stdin.write("validate\n");
      const { value: line } = await answers.next();
      if (line === undefined) throw new BenchFault(`Python ended: ${faults.join("").trim().split("\n").at(-1)}`);
      const { valid, wallS, cpuS } = JSON.parse(line) as { valid: boolean; wallS: number; cpuS: number };
      if (!valid) throw new BenchFault("Python's jsonschema refuses a valid file.");
      return { operations, wallS, cpuS };
    },
    async [Symbol.asyncDispose]() {
      await end(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function end(child: ChildProcessWithoutNullStreams): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, "exit");
}

import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type CheckNote, lintPackage, readPackage } from "@backplane/registry/authoring";
import { openQuestions, type Questions } from "../questions.ts";
import { isRefusal, type Refusal, refuse } from "../refusal.ts";
import { type Running, runCommand } from "../run.ts";
import { openTerminal, SHAPES, type Terminal } from "../terminal.ts";
import { type Answers, metadataFrom, optionOf, QUESTIONS, type Question } from "./metadata-questions.ts";
import { printNotes } from "./notes.ts";

type Host = NodeJS.Process;

export type InitFlags = Partial<Answers> & { brand?: string; keepOnUpdate?: string[]; yes?: boolean; json?: boolean };

/** Where the files of a package of this type go. */
const FOLDERS: Readonly<Record<string, string>> = {
  plugin: "plugins",
  library: "symbols, footprints or 3dmodels",
  colortheme: "colors",
};

/** Writes metadata.json from options and answers. What has neither gets its default. */
export async function init(host: Host, folder = ".", options: InitFlags = {}): Promise<number> {
  return runCommand(host, options, async (running) => {
    const file = join(folder, "metadata.json");
    const path = resolve(host.cwd(), file);
    const exists = () => refuse("bad-file", `${file} already exists, and is left as it is.`, "Change it in an editor.");
    if (existsSync(path)) return exists();
    const answers = await collect(host, options, running);
    if (isRefusal(answers)) return answers;
    const text = `${JSON.stringify(metadataOf(answers, options), undefined, 2)}\n`;
    const read = readPackage(text, { brands: [brandOf(options)] });
    if ("faults" in read) {
      return {
        ...refuse("metadata-refused", "These answers do not make valid metadata."),
        faults: faultsOf(read.faults),
      };
    }
    await mkdir(resolve(host.cwd(), folder), { recursive: true });
    try {
      await writeFile(path, text, { flag: "wx" });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return exists();
      throw error;
    }
    const notes = lintPackage(text, read.package, { brand: read.brand });
    const { out, answer } = running;
    answer({ file, notes }, () => {
      printNotes(out, file, notes);
      out.line(`${out.paint("ok", SHAPES.ok)} ${file} is written.`);
      out.line(`  Put the files to install in ${join(folder, FOLDERS[answers.type] ?? "resources")}, then run:`);
      out.hint(`  backplane pkg pack ${folder}`);
    });
    return undefined;
  });
}

const brandOf = ({ brand = "tool" }: InitFlags): string => brand;

const metadataOf = (answers: Partial<Answers>, options: InitFlags) =>
  metadataFrom(answers, brandOf(options), options.keepOnUpdate ?? []);

const faultsOf = (notes: readonly CheckNote[]) => notes.map(({ pointer = "", message }) => ({ pointer, message }));

async function collect(host: Host, options: InitFlags, { signal }: Running): Promise<Answers | Refusal> {
  const err = openTerminal(host.stderr);
  using questions = options.yes ? undefined : openQuestions(host, signal);
  const answers: Partial<Answers> = {};
  const missing: string[] = [];
  for (const question of QUESTIONS) {
    const { name } = question;
    const given = options[name];
    const answer = given ?? (await settle(question, { answers, options, questions, err }));
    if (answer === undefined) missing.push(optionOf(name));
    else answers[name] = answer;
    const fault = given === undefined ? undefined : faultIn(question, answers, options);
    if (fault) return refuse("invalid-option", `${optionOf(name)} "${given}" ${wordsOf(fault)}.`);
  }
  if (missing.length === 0) return answers as Answers;
  return refuse(
    "wrong-usage",
    `There is no answer for ${missing.join(", ")}.`,
    "Give these options, or run it in a terminal.",
  );
}

type Known = { answers: Partial<Answers>; options: InitFlags; questions: Questions | undefined; err: Terminal };

/** Asks until the answer is valid. Undefined when there is none and no default. */
async function settle(question: Question, { answers, options, questions, err }: Known): Promise<string | undefined> {
  const fallback = question.fallback?.(answers);
  for (;;) {
    const said = await questions?.ask(`${question.words}${fallback ? ` [${fallback}]` : ""}: `);
    const answer = said || fallback;
    const fault =
      answer === undefined ? undefined : faultIn(question, { ...answers, [question.name]: answer }, options);
    if (answer !== undefined && !fault) return answer;
    if (said === undefined) return undefined;
    if (fault) err.line(`${err.paint("danger", SHAPES.danger)} "${answer}" ${wordsOf(fault)}.`);
  }
}

/** The same check as publishing does, of this answer only. */
function faultIn({ pointer }: Question, answers: Partial<Answers>, options: InitFlags): CheckNote | undefined {
  const read = readPackage(JSON.stringify(metadataOf(answers, options)), { brands: [brandOf(options)] });
  if (!("faults" in read)) return undefined;
  return read.faults.find(({ pointer: at = "" }) => at === pointer || at.startsWith(`${pointer}/`));
}

const wordsOf = ({ message, fix }: CheckNote): string => (fix === undefined ? message : `${message} (likely ${fix})`);

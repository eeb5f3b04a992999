// `npm run example NAME [ARGS]` runs the example of this name; without a name it lists them.
import { pathToFileURL } from "node:url";
import { ensureBuilt } from "./bootstrap.mjs";
import { findExamples } from "./examples.ts";

const [name, ...args] = process.argv.slice(2);
const examples = findExamples();
const example = examples.find((each) => each.name === name);
if (example !== undefined) {
  await ensureBuilt();
  process.argv = [process.execPath, example.file, ...args];
  await import(pathToFileURL(example.file).href);
} else {
  console.log(examples.map(({ how }) => how).join("\n"));
  if (name !== undefined) {
    console.error(`There is no example ${name}. Choose one of these.`);
    process.exitCode = 2;
  }
}

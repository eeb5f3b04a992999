import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { test } from "node:test";
import { build } from "vite";

const CONTRACT = new URL("../contract/src/", import.meta.url);
const WEB = new URL(".", import.meta.url).pathname;

/** TypeBox marks its schemas with hidden keys such as `~kind`. */
const isSchema = (value: unknown) => Object.getOwnPropertyNames(Object(value)).some((name) => name.startsWith("~"));

/** The values that pages may import: everything that is not a schema. */
async function importEveryPlainValue(): Promise<string> {
  const files = (await readdir(CONTRACT)).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
  const lines = files.map(async (file, index) => {
    const values: Record<string, unknown> = await import(new URL(file, CONTRACT).href);
    const plain = Object.keys(values).filter((name) => !isSchema(values[name]));
    const area = `@backplane/contract/${file.slice(0, -".ts".length)}`;
    const names = plain.map((name) => `${name} as ${name}_${index}`);
    return `import { ${names.join(", ")} } from "${area}"; console.log(${plain.map((name) => `${name}_${index}`)});`;
  });
  return (await Promise.all(lines)).join("\n");
}

test("importing the contract's limits does not bundle TypeBox", async () => {
  const entry = await importEveryPlainValue();
  assert.match(entry, /ACCOUNT_LIMITS/);
  const built = await build({
    root: WEB,
    logLevel: "silent",
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === "entry.js" ? `${WEB}src/entry.js` : undefined),
        load: (id) => (id === `${WEB}src/entry.js` ? entry : undefined),
      },
    ],
    build: { write: false, minify: false, rolldownOptions: { input: "entry.js" } },
  });
  assert.ok(Array.isArray(built) === false && "output" in built);
  const code = built.output.map((file) => ("code" in file ? file.code : "")).join("\n");
  assert.match(code, /maxPasswordLength/);
  assert.deepEqual(code.match(/^.*(~kind|typebox).*$/gm), null);
});

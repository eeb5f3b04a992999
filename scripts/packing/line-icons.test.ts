import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { rolldown } from "rolldown";
import { lineIcons } from "./line-icons.ts";
import { thirdPartyNotices } from "./third-party-notices.ts";

/** What a page gets that imports this icon. */
async function build(icon: string) {
  const page = join(import.meta.dirname, "../../packages/web/src/page.js");
  const entry = {
    name: "entry",
    resolveId: (id: string) => (id === page ? id : undefined),
    load: (id: string) => (id === page ? `import shape from "lucide:${icon}"; console.log(shape);` : undefined),
  };
  await using bundle = await rolldown({
    input: page,
    external: [/^react/],
    plugins: [entry, lineIcons(), thirdPartyNotices()],
    logLevel: "silent",
  });
  const { output } = await bundle.generate();
  const notices = output.find(({ fileName }) => fileName === "third-party-notices.txt");
  return { code: output[0].code, notices: notices?.type === "asset" ? String(notices.source) : "" };
}

test("a page gets the shapes of the icons that it imports, without strokes of their own, and the notices name their package", async () => {
  const { code, notices } = await build("copy");
  assert.match(code, /"rect"/);
  assert.doesNotMatch(code, /stroke/);
  assert.ok(code.length < 1_000, `${code.length}`);
  assert.match(notices, /^@iconify-json\/lucide [\d.]+ \(ISC\)/);
  assert.match(notices, /Lucide Contributors/);
});

test("an icon that does not exist fails the build", async () => {
  await assert.rejects(build("no-such-icon"), /Lucide has no icon no-such-icon/);
});

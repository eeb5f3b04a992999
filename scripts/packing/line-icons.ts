import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Plugin } from "rolldown";

const PREFIX = "lucide:";
/** Our element has them, so that styles of the page reach what it draws. */
const OF_ALL = ' fill="none" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round" stroke-width="2"';

/** `import Copy from "lucide:copy"`: what is in an icon of Lucide, of which there are thousands in one file. */
export function lineIcons(): Plugin {
  return {
    name: "line-icons",
    resolveId: {
      filter: { id: new RegExp(`^${PREFIX}`) },
      async handler(id, importer) {
        const icons = await this.resolve("@iconify-json/lucide/icons.json", importer);
        // A place in its package, so that the notices name that.
        return icons && join(dirname(icons.id), `${id.slice(PREFIX.length)}.jsx`);
      },
    },
    load: {
      filter: { id: /\/@iconify-json\/lucide\/[\w-]+\.jsx$/ },
      handler(id) {
        const [, name = ""] = /([\w-]+)\.jsx$/.exec(id) ?? [];
        const { icons } = JSON.parse(readFileSync(join(dirname(id), "icons.json"), "utf8"));
        if (!Object.hasOwn(icons, name)) throw new Error(`Lucide has no icon ${name}.`);
        return `export default ${icons[name].body.replace(OF_ALL, "")};`;
      },
    },
  };
}

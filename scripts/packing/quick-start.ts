import { join } from "node:path";
import type { Plugin } from "rolldown";

/** Libraries do things at the start that few programs, or none, ever need. The bundles do them later, or not at all. */
export const quickStart = (): Plugin[] => [httpWithoutFetch, ...LATER];

/** Of undici, which asks it for the largest size of headers, and is loaded when it is needed. */
const httpWithoutFetch: Plugin = {
  name: "http-without-fetch",
  resolveId: {
    filter: { id: /^(?:node:)?http$/ },
    handler: (_id, importer) =>
      importer?.includes("/node_modules/undici/") ? null : join(import.meta.dirname, "http-without-fetch.js"),
  },
};

type Edit = readonly [before: string, after: string];

const edit = (name: string, file: RegExp, edits: readonly Edit[]): Plugin => ({
  name,
  transform: {
    filter: { id: file },
    handler: (code, id) =>
      edits.reduce((text, [before, after]) => {
        // A new version of the library: look again whether this is still needed, and how.
        if (!text.includes(before)) throw new Error(`${name}: ${id} no longer has the text: ${before}`);
        return text.replace(before, () => after);
      }, code),
  },
});

/** Commander can start other programs as commands. Ours does not, and to load what it needs for that takes 6 ms. */
export const startNoCommands = edit("start-no-commands", /\/commander\/lib\/command\.js$/, [
  ["import childProcess from 'node:child_process';", ""],
]);

/** Only the imports of the file itself: a text in it may have lines that look like them. */
const HEAD = /^(?:import .*;\n)+/;
const IMPORT = /^import ([\w$]+)?(?:, )?(?:\{([^}]*)\})? from "(node:[\w/]+)";$/gm;
/** Loading it takes a tenth of a short command, and most commands only contain a function that would use it. */
const WHEN_CALLED = "node:crypto";

/**
 * To import one function of Node's own modules is to ask for all that they export, and Node loads much of that only then: the
 * promises and streams of `node:fs`, the Web Crypto of `node:crypto`. Here each file asks for what it names.
 */
export const importNoMore: Plugin = {
  name: "import-no-more",
  renderChunk: (code) => ({ code: code.replace(HEAD, (head) => head.replace(IMPORT, asConstants)), map: null }),
};

function asConstants(_text: string, whole: string | undefined, names: string | undefined, from: string): string {
  const module = `process.getBuiltinModule("${from}")`;
  const constants = names?.split(",").map((one) => {
    const [name = "", local = name] = one.trim().split(" as ");
    return from === WHEN_CALLED && isFunction(from, name)
      ? `${local} = (...args) => ${module}.${name}(...args)`
      : `{ ${name}: ${local} } = ${module}`;
  });
  return `const ${[...(whole === undefined ? [] : [`${whole} = ${module}`]), ...(constants ?? [])].join(", ")};`;
}

/** Not a class or a constant. */
function isFunction(from: string, name: string): boolean {
  const value = (process.getBuiltinModule(from) as Record<string, unknown> | undefined)?.[name];
  return typeof value === "function" && /^[a-z]/.test(name);
}

const LATER = [
  // Only for lists of files that are made when a server starts. Ours has a list already.
  edit("glob-later", /\/@fastify\/static\/index\.js$/, [
    ["const { glob } = require('glob')", "const glob = (...args) => require('glob').glob(...args)"],
  ]),
  // The router makes functions from text for each piece of an address, and again whenever a new route splits a piece: 0.2 s.
  edit("match-prefixes-later", /\/find-my-way\/lib\/node\.js$/, [
    ["function compilePrefixMatch (prefix) {", "function compilePrefixMatchNow (prefix) {"],
    [
      "class Node {",
      `
        function compilePrefixMatch (prefix) {
          let matches = 0
          return function (path, i) {
            matches += 1
            if (matches === 100) this.matchPrefix = compilePrefixMatchNow(prefix)
            return path.startsWith(prefix, i)
          }
        }
        class Node {`,
    ],
  ]),
  edit("compile-handlers-later", /\/find-my-way\/lib\/handler-storage\.js$/, [
    [
      "_createParamsObject: this._compileCreateParamsObject(params)",
      `
        _createParamsObject: (...values) => {
          handlerObject._createParamsObject = this._compileCreateParamsObject(params)
          return handlerObject._createParamsObject(...values)
        }`,
    ],
    [
      "this._compileGetHandlerMatchingConstraints(constrainer, constraints)",
      `
        this._getHandlerMatchingConstraints = (derivedConstraints) => {
          this._compileGetHandlerMatchingConstraints(constrainer, constraints)
          return this._getHandlerMatchingConstraints(derivedConstraints)
        }`,
    ],
  ]),
];

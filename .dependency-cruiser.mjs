// The arrows of ARCHITECTURE.md: contract ← kit ← areas ← platform ← cli. `npm run check` fails on any other.
const areas = "registry|gateway|accounts|intents|panels|devices|viewer";
const tests = "\\.test\\.ts$|\\.suite\\.ts$|^packages/.+/testing/";
/** A folder of accounts may import those before it (packages/accounts/README.md). */
const accountsFolders = "users callers sessions api-keys organisations accounts sign-in passkeys openid".split(" ");

export default {
  forbidden: [
    {
      name: "no-circles",
      comment: "Data goes one way.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "contract-imports-nothing",
      comment: "The contract is what all others agree on: it imports none of them.",
      severity: "error",
      from: { path: "^packages/contract/" },
      to: { path: "^packages/(?!contract/)" },
    },
    {
      name: "kit-knows-only-the-contract",
      comment: "kit is used by every area: it knows none of them.",
      severity: "error",
      from: { path: "^packages/kit/" },
      to: { path: "^packages/(?!kit/|contract/)" },
    },
    {
      name: "toolbox-imports-nothing",
      comment: "kit's toolbox runs everywhere, at third parties and in browsers too: it has no dependencies.",
      severity: "error",
      from: { path: "^packages/kit/src/toolbox/", pathNot: tests },
      to: { pathNot: ["^packages/kit/src/toolbox/"], dependencyTypesNot: ["core"] },
    },
    {
      name: "kicad-imports-nothing",
      comment:
        "kicad reads files in browsers, in commands and in servers: it has no dependencies and uses no Node API.",
      severity: "error",
      from: { path: "^packages/kicad/src/", pathNot: tests },
      to: { pathNot: ["^packages/kicad/src/"] },
    },
    {
      name: "areas-do-not-meet",
      comment:
        "What one area needs of another is a parameter, wired in platform. Intents are tested with real accounts, devices with simulators.",
      severity: "error",
      from: { path: `^packages/(${areas})/`, pathNot: `^packages/(intents|devices)/.*(${tests})` },
      to: { path: "^packages/", pathNot: ["^packages/(contract|kicad|kit)/", "^packages/$1/"] },
    },
    ...accountsFolders.slice(0, -1).map((folder, at) => ({
      name: `accounts-go-one-way-${folder}`,
      comment: "The folders of accounts have an order: each imports only those before it.",
      severity: "error",
      from: { path: `^packages/accounts/src/${folder}/`, pathNot: tests },
      to: { path: `^packages/accounts/src/(${accountsFolders.slice(at + 1).join("|")})/` },
    })),
    {
      name: "sdk-and-web-know-only-contract-and-toolbox",
      comment: "What is shipped to third parties and browsers sees the contract and kit's toolbox, never server code.",
      severity: "error",
      from: { path: "^packages/(sdk|web)/", pathNot: tests },
      to: {
        path: "^packages/",
        pathNot: ["^packages/contract/", "^packages/kit/src/toolbox/", "^packages/kicad/", "^packages/$1/", "\\.css$"],
      },
    },
    {
      name: "sdk-reads-no-kicad-files",
      comment: "The sdk stays small: a program that needs schematics asks the platform.",
      severity: "error",
      from: { path: "^packages/sdk/" },
      to: { path: "^packages/kicad/" },
    },
    {
      name: "platform-mounts-areas",
      comment: "platform wires areas together; it knows neither cli nor sdk.",
      severity: "error",
      from: { path: "^packages/platform/" },
      to: { path: "^packages/(cli|sdk|web)/" },
    },
    {
      name: "cli-is-a-third-party",
      comment:
        "cli starts the processes as programs and speaks to them through sdk, kit and contracts; what works on this machine alone (installed packages, screenshots, a new password, backups, tools for AI clients) it uses itself.",
      severity: "error",
      from: { path: "^packages/cli/" },
      to: {
        path: "^packages/",
        pathNot: [
          "^packages/(cli|contract|kicad|kit|sdk)/",
          "^packages/simulators/src/index\\.ts$",
          "^packages/registry/src/(manager/index|authoring)\\.ts$",
          "^packages/viewer/src/(index|client/index)\\.ts$",
          "^packages/panels/src/mcp/index\\.ts$",
          "^packages/devices/src/mcp/tools\\.ts$",
          "^packages/accounts/src/(index|accounts/password-resets)\\.ts$",
          "^packages/platform/src/backup/index\\.ts$",
        ],
      },
    },
    {
      name: "format-and-manager-know-no-server",
      comment:
        "What reads, writes and installs packages runs at third parties too: only the registry's server may import kit.",
      severity: "error",
      from: { path: "^packages/registry/src/", pathNot: ["^packages/registry/src/(server/|index\\.ts$)", tests] },
      to: { path: ["^packages/kit/src/(?!toolbox/)", "^packages/registry/src/server/"] },
    },
    {
      name: "through-the-front-door",
      comment: "A package is entered by what its package.json exports, not by a path into its folder.",
      severity: "error",
      from: { path: "^packages/([^/]+)/" },
      to: {
        path: "^packages/",
        pathNot: "^packages/$1/",
        dependencyTypes: ["local"],
        dependencyTypesNot: ["aliased-workspace"],
      },
    },
    {
      name: "tests-stay-tests",
      comment: "Nothing that runs in production imports a test, a suite, e2e or scripts.",
      severity: "error",
      from: { path: "^packages/[^/]+/src/", pathNot: tests },
      to: { path: [tests, "^(e2e|scripts|bench|examples)/"] },
    },
    {
      name: "resolvable",
      comment: "Every import leads somewhere. The build looks for icons (scripts/packing/line-icons.ts).",
      severity: "error",
      from: {},
      to: { couldNotResolve: true, pathNot: "^lucide:" },
    },
    {
      name: "declared",
      comment: "A package that is used is in the package.json of who uses it.",
      severity: "error",
      from: { path: "^packages/" },
      to: { dependencyTypes: ["npm-no-pkg", "npm-unknown"] },
    },
  ],
  options: {
    parser: "swc",
    tsPreCompilationDeps: true,
    skipAnalysisNotInRules: true,
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(^|/)(dist|node_modules/\\.)" },
    combinedDependencies: true,
    enhancedResolveOptions: {
      extensions: [".ts", ".tsx", ".js", ".mjs", ".css"],
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
    },
  },
};

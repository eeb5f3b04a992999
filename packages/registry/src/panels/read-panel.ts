import {
  CAPABILITY_KIND,
  FILE_WANT,
  type JsonObject,
  PANEL_CATEGORIES,
  PANEL_FOLDER,
  PANEL_JSON,
  PANEL_PACKAGE_LIMITS,
  type PanelManifest,
  type PanelTool,
  type PanelWants,
  stateSchemaFaults,
  TOOL_NAME,
} from "@backplane/contract/panels";
import type { CheckNote } from "@backplane/contract/registry";
import type { ArchiveFile } from "../archives/archive.ts";

const KEYS = [
  "sdk",
  "name",
  "title",
  "description",
  "category",
  "entry",
  "style",
  "wants",
  "tools",
  "singleton",
  "stateSchema",
] as const;
const WANTS = ["read", "control", "files", "eval"] as const;
const TOOL_KEYS = ["name", "description", "input"] as const;
const NAME = /^[a-z][a-z0-9-]{0,59}$/;
const FILE = /^[A-Za-z0-9_][A-Za-z0-9_.-]*(?:\/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$/;
const READ_WANT = new RegExp(`${CAPABILITY_KIND}|^[*]$`);
const CONTROL_WANT = new RegExp(CAPABILITY_KIND);
const FILES = new RegExp(FILE_WANT);
const TOOL = new RegExp(TOOL_NAME);
const SDK = "1";

type Read = { panel: PanelManifest } | { faults: CheckNote[] };

/** Reads plugins/panel/panel.json. Every fault names its field. */
export function readPanel(text: string, files: readonly Pick<ArchiveFile, "path" | "size">[]): Read {
  const faults: CheckNote[] = [];
  const refuse: Refuse = (pointer, message) =>
    void faults.push({ level: "error", rule: "panel", path: PANEL_JSON, pointer, message });
  const given = parse(text, refuse);
  if (!given) return { faults };
  const panel = panelOf(given, refuse);
  checkFiles(panel, files, refuse);
  return faults.length > 0 ? { faults } : { panel };
}

type Refuse = (pointer: string, message: string) => void;
type Loose = { [key: string]: unknown };

const isObject = (value: unknown): value is Loose =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function parse(text: string, refuse: Refuse): Loose | undefined {
  const { maxManifestBytes } = PANEL_PACKAGE_LIMITS;
  if (Buffer.byteLength(text) > maxManifestBytes) {
    refuse("", `has more than ${maxManifestBytes} bytes. Shorten it`);
    return undefined;
  }
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
    refuse("", "must be an object");
  } catch (error) {
    refuse("", `is not JSON: ${(error as Error).message}`);
  }
  return undefined;
}

function panelOf(given: Loose, refuse: Refuse): PanelManifest {
  refuseUnknown(given, KEYS, "", refuse);
  if (given.sdk !== SDK) refuse("/sdk", `must be "${SDK}"`);
  const { maxTitleLength, maxDescriptionLength } = PANEL_PACKAGE_LIMITS;
  const tools = toolsOf(given.tools, refuse);
  const category = PANEL_CATEGORIES.find((each) => each === (given.category ?? "Utility"));
  if (!category) refuse("/category", `must be one of ${PANEL_CATEGORIES.join(", ")}`);
  return {
    name: matching(
      given.name,
      "/name",
      NAME,
      "must be lower-case letters, digits and dashes, such as heat-map",
      refuse,
    ),
    title: words(given.title, "/title", maxTitleLength, refuse),
    description:
      given.description === undefined ? "" : words(given.description, "/description", maxDescriptionLength, refuse),
    category: category ?? "Utility",
    entry: matching(given.entry, "/entry", FILE, `must be the path of a file in ${PANEL_FOLDER}`, refuse),
    style:
      given.style === undefined
        ? null
        : matching(given.style, "/style", FILE, `must be the path of a file in ${PANEL_FOLDER}`, refuse),
    wants: { ...wantsOf(given.wants, refuse), tools: tools.map(({ name }) => name) },
    tools,
    ...singletonOf(given.singleton, refuse),
    ...stateSchemaOf(given.stateSchema, refuse),
  };
}

function singletonOf(given: unknown, refuse: Refuse): Pick<PanelManifest, "singleton"> {
  if (given === undefined) return {};
  if (typeof given === "boolean") return { singleton: given };
  refuse("/singleton", "must be true or false");
  return {};
}

function stateSchemaOf(given: unknown, refuse: Refuse): Pick<PanelManifest, "stateSchema"> {
  if (given === undefined) return {};
  const faults = stateSchemaFaults(given, "/stateSchema");
  for (const { pointer, message } of faults) refuse(pointer, message);
  return faults.length > 0 ? {} : { stateSchema: given as JsonObject };
}

function wantsOf(given: unknown, refuse: Refuse): Omit<PanelWants, "tools"> {
  if (given !== undefined && !isObject(given)) refuse("/wants", "must be an object");
  const wants = isObject(given) ? given : {};
  refuseUnknown(wants, WANTS, "/wants", refuse);
  const kind = 'must be a kind of capability, such as "temperature"';
  return {
    ...evalOf(wants, refuse),
    read: list(wants.read, "/wants/read", READ_WANT, `${kind}, or "*"`, refuse),
    control: list(wants.control, "/wants/control", CONTROL_WANT, kind, refuse),
    files: list(
      wants.files,
      "/wants/files",
      FILES,
      'must be read: or write: and a pattern of files, such as "read:data/**"',
      refuse,
    ),
  };
}

/** Never beside `control`: what a person let the panel move is not for every program that may drive a panel. */
function evalOf({ eval: given, control }: Loose, refuse: Refuse): Pick<PanelWants, "eval"> {
  if (given === undefined || given === false) return {};
  if (given !== true) refuse("/wants/eval", "must be true or false");
  else if (Array.isArray(control) && control.length > 0)
    refuse("/wants/eval", "is not possible in a panel that wants to control devices. Leave one of them out");
  return { eval: true };
}

function toolsOf(given: unknown, refuse: Refuse): PanelTool[] {
  if (given === undefined) return [];
  const { maxTools } = PANEL_PACKAGE_LIMITS;
  if (!Array.isArray(given) || given.length > maxTools) {
    refuse("/tools", `must be a list of at most ${maxTools} tools`);
    return [];
  }
  const names = new Set<string>();
  return given.map((tool: unknown, at) => {
    const pointer = `/tools/${at}`;
    if (!isObject(tool)) refuse(pointer, "must be an object");
    const one = isObject(tool) ? tool : {};
    refuseUnknown(one, TOOL_KEYS, pointer, refuse);
    const shape = "must be lower-case letters, digits and underscores, such as find_peak";
    const name = matching(one.name, `${pointer}/name`, TOOL, shape, refuse);
    if (names.has(name)) refuse(`${pointer}/name`, "is the name of another tool");
    names.add(name);
    const input = one.input ?? { type: "object" };
    if (!isObject(input) || input.type !== "object")
      refuse(`${pointer}/input`, 'must be a JSON Schema of type "object"');
    return {
      name,
      description: words(one.description, `${pointer}/description`, PANEL_PACKAGE_LIMITS.maxDescriptionLength, refuse),
      input: input as JsonObject,
    };
  });
}

function checkFiles(
  { entry, style }: PanelManifest,
  files: readonly Pick<ArchiveFile, "path" | "size">[],
  refuse: Refuse,
): void {
  const own = files.filter(({ path }) => path.startsWith(PANEL_FOLDER));
  const has = (file: string) => own.some(({ path }) => path === `${PANEL_FOLDER}${file}`);
  if (entry !== "" && !/[.]m?js$/.test(entry)) refuse("/entry", "must be a JavaScript module, .js or .mjs");
  else if (entry !== "" && !has(entry)) refuse("/entry", `names ${entry}, which is not in ${PANEL_FOLDER}`);
  if (style !== null && style !== "" && !style.endsWith(".css")) refuse("/style", "must be a style sheet, .css");
  else if (style !== null && style !== "" && !has(style))
    refuse("/style", `names ${style}, which is not in ${PANEL_FOLDER}`);
  const { maxPanelBytes, maxPanelFiles } = PANEL_PACKAGE_LIMITS;
  const bytes = own.reduce((sum, { size }) => sum + size, 0);
  if (bytes > maxPanelBytes)
    refuse("", `The files in ${PANEL_FOLDER} have ${bytes} bytes; ${maxPanelBytes} are allowed`);
  if (own.length > maxPanelFiles)
    refuse("", `There are ${own.length} files in ${PANEL_FOLDER}; ${maxPanelFiles} are allowed`);
}

function refuseUnknown(given: Loose, keys: readonly string[], pointer: string, refuse: Refuse): void {
  for (const key of Object.keys(given)) {
    if (!keys.includes(key)) refuse(`${pointer}/${key}`, `is not a field here. There are ${keys.join(", ")}`);
  }
}

function matching(given: unknown, pointer: string, pattern: RegExp, message: string, refuse: Refuse): string {
  if (typeof given === "string" && given.length <= 200 && pattern.test(given)) return given;
  refuse(pointer, given === undefined ? "is missing" : message);
  return "";
}

/** One line that people read: what a terminal or a page would not print as it is, is refused. */
function words(given: unknown, pointer: string, maxLength: number, refuse: Refuse): string {
  const isFine = typeof given === "string" && given.trim() !== "" && given.length <= maxLength;
  if (isFine && given.isWellFormed() && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(given)) return given.trim();
  refuse(pointer, given === undefined ? "is missing" : `must be one line of at most ${maxLength} characters`);
  return "";
}

function list(given: unknown, pointer: string, pattern: RegExp, message: string, refuse: Refuse): string[] {
  if (given === undefined) return [];
  const { maxWants } = PANEL_PACKAGE_LIMITS;
  if (!Array.isArray(given) || given.length > maxWants) {
    refuse(pointer, `must be a list of at most ${maxWants}`);
    return [];
  }
  return [...new Set(given.map((each: unknown, at) => matching(each, `${pointer}/${at}`, pattern, message, refuse)))];
}

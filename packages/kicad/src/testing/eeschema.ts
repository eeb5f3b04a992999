import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { findProgram } from "../../../../scripts/services/on-path.ts";

/** On a busy machine it takes minutes to open a large design. */
const WAIT_MS = 300_000;
const LOOK_EVERY_MS = 250;
/** Menus need a moment between keys: eeschema loses those that come while it draws. */
const KEY_PAUSE_MS = 150;
const DEBIAN_PACKAGES = ["kicad", "xvfb", "xdotool"];

export const eeschemaPackages = (): readonly string[] =>
  ["eeschema", "Xvfb", "xdotool"].every((program) => findProgram([program]) !== undefined) ? [] : DEBIAN_PACKAGES;

const pathOf = (program: string): string => findProgram([program]) ?? program;

/** Settings of a person who has used KiCad before: no questions at the first start. */
function writeSettings(folder: string): string {
  const config = join(folder, "config");
  mkdirSync(join(config, "6.0"), { recursive: true });
  writeFileSync(join(config, "6.0", "kicad_common.json"), '{"meta":{"filename":"kicad_common.json","version":3}}');
  writeFileSync(join(config, "6.0", "sym-lib-table"), "(sym_lib_table\n)\n");
  writeFileSync(join(config, "6.0", "fp-lib-table"), "(fp_lib_table\n)\n");
  return config;
}

/** An X server of its own, on a display that it chooses. */
async function startDisplay(): Promise<{ display: string; end: () => Promise<void> }> {
  const server = spawn(pathOf("Xvfb"), ["-displayfd", "3", "-screen", "0", "1280x900x24", "-nolisten", "tcp"], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  const told = server.stdio[3];
  if (told === null || told === undefined) throw new Error("Xvfb has no channel to tell its display");
  const [number] = (await once(told, "data")) as [Buffer];
  return { display: `:${String(number).trim()}`, end: () => end(server) };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

interface Window {
  readonly id: string;
  readonly name: string;
}

/** What eeschema shows, seen and driven from outside. */
class Screen {
  readonly #env: NodeJS.ProcessEnv;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  #ask(...words: readonly string[]): string {
    return spawnSync(pathOf("xdotool"), words, { env: this.#env, encoding: "utf8" }).stdout ?? "";
  }

  windows(): Window[] {
    const ids = this.#ask("search", "--onlyvisible", "--name", ".").split("\n").filter(Boolean);
    return ids.map((id) => ({ id, name: this.#ask("getwindowname", id).trim() })).filter(({ name }) => name !== "");
  }

  async press(window: Window, ...keys: readonly string[]): Promise<void> {
    this.#ask("windowfocus", window.id);
    for (const key of keys) {
      await pause(KEY_PAUSE_MS);
      this.#ask("key", key);
    }
  }

  /** Waits for a window; a window of any other name than those `expected` is what eeschema complains with. */
  async waitFor(name: RegExp, expected: RegExp, waitMs = WAIT_MS): Promise<Window | undefined> {
    const until = Date.now() + waitMs;
    while (Date.now() < until) {
      const all = this.windows();
      const strange = all.find((window) => !expected.test(window.name));
      if (strange !== undefined) throw new Error(`eeschema shows a window "${strange.name}"`);
      const found = all.find((window) => name.test(window.name));
      if (found !== undefined && !all.some((window) => /^Loading/.test(window.name))) return found;
      await pause(LOOK_EVERY_MS);
    }
    return undefined;
  }
}

const EXPECTED = /Schematic Editor$|^Loading|^Export Netlist$|^Save Netlist File$|^eeschema$/;

/**
 * Opens a schematic in KiCad's own editor and lets it write its netlist: File, Export, Netlist. Throws when the editor shows a
 * window that belongs to none of these steps, such as an error.
 */
export async function netlistByEeschema(file: string, folder: string): Promise<string> {
  const { display, end: endDisplay } = await startDisplay();
  const home = join(folder, "home");
  mkdirSync(home, { recursive: true });
  const env = {
    ...process.env,
    DISPLAY: display,
    HOME: home,
    KICAD_CONFIG_HOME: writeSettings(folder),
    LC_ALL: "C.UTF-8",
  };
  const editor = spawn(pathOf("eeschema"), [file], { env, stdio: "ignore" });
  try {
    const screen = new Screen(env);
    const main = await screen.waitFor(/^(?!\[no schematic).*\[.*Schematic Editor$/, EXPECTED);
    if (main === undefined) throw new Error(`eeschema did not open ${file}: ${JSON.stringify(screen.windows())}`);
    const dialog = await openExport(screen, main);
    await screen.press(dialog, "Return");
    const save = await screen.waitFor(/^Save Netlist File$/, EXPECTED);
    if (save === undefined) throw new Error(`eeschema did not ask where to save: ${JSON.stringify(screen.windows())}`);
    await screen.press(save, "Return");
    return await readWhenWritten(file.replace(/\.kicad_sch$/, ".net"), screen);
  } finally {
    await end(editor);
    await endDisplay();
  }
}

/** The eighth item of the menu is Export, the second one there is Netlist. */
async function openExport(screen: Screen, main: Window): Promise<Window> {
  for (let attempt = 0; attempt < 5; attempt++) {
    await screen.press(main, "Escape", "alt+f", ...Array.from({ length: 7 }, () => "Down"), "Right", "Down", "Return");
    const dialog = await screen.waitFor(/^Export Netlist$/, EXPECTED, 6_000);
    if (dialog !== undefined) return dialog;
    await screen.press(main, "Escape", "Escape", "Escape");
  }
  throw new Error(`eeschema did not open its dialog: ${JSON.stringify(screen.windows())}`);
}

async function readWhenWritten(file: string, screen: Screen): Promise<string> {
  const until = Date.now() + WAIT_MS;
  while (Date.now() < until) {
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    if (text.trimEnd().endsWith(")") && !screen.windows().some(({ name }) => /Netlist/.test(name))) return text;
    const strange = screen.windows().find(({ name }) => !EXPECTED.test(name));
    if (strange !== undefined) throw new Error(`eeschema shows a window "${strange.name}"`);
    await pause(LOOK_EVERY_MS);
  }
  throw new Error(`eeschema did not write ${file}`);
}

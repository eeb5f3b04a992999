import { spawn } from "node:child_process";
import { once } from "node:events";
import { canInstall, install } from "../../scripts/services/apt.ts";
import { findProgram } from "../../scripts/services/on-path.ts";
import { BenchFault } from "../harness/fault.ts";

/** Not `convert`: other programs have that name too. */
export const imageMagick = { programs: ["magick", "convert-im6.q16"], debianPackage: "imagemagick" };
export const optipng = { programs: ["optipng"], debianPackage: "optipng" };
export const tesseract = { programs: ["tesseract"], debianPackage: "tesseract-ocr" };

/** Runs it with arguments; rejects when it fails. */
export type Program = (args: readonly string[]) => Promise<void>;

/** Found, else installed, else a sentence that says why not. */
export async function findPeer({ programs, debianPackage }: typeof optipng): Promise<Program> {
  if (findProgram(programs) === undefined && canInstall()) await install([debianPackage]);
  const path = findProgram(programs);
  if (path === undefined) {
    throw new BenchFault(`${programs.at(-1)} is not installed. Install it (Debian: apt-get install ${debianPackage}).`);
  }
  return async (args) => {
    const child = spawn(path, args, { stdio: ["ignore", "ignore", "ignore"] });
    const [code] = await once(child, "exit");
    if (code !== 0) throw new BenchFault(`${path} ${args.join(" ")} ended with ${code}.`);
  };
}

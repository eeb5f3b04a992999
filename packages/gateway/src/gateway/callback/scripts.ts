import { readFileSync } from "node:fs";

/** Without comments and indentation: each is sent with every page. No line may begin inside of a string. */
const read = (name: string): string =>
  readFileSync(new URL(name, import.meta.url), "utf8")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("//"))
    .join("\n");

export const LEAVE_ADDRESS = read("leave-address.js");
export const ASK_AGAIN = read("ask-again.js");

import type { Contact } from "@backplane/contract/registry";
import { pointerPart } from "../positions.ts";
import { lintLink } from "./addresses.ts";
import type { Finding } from "./rules.ts";

export function* lintContact(pointer: string, { contact }: Contact): Generator<Finding> {
  const ways = Object.entries(contact);
  if (ways.length === 0) {
    const message = "names no way to reach them. Add a web or an email address.";
    yield { rule: "contact-missing", pointer: `${pointer}/contact`, message };
  }
  for (const [name, value] of ways) {
    const at = `${pointer}/contact/${pointerPart(name)}`;
    if (value.trim() === "")
      yield { rule: "contact-missing", pointer: at, message: "is empty. Fill it in or remove it." };
    yield* lintLink(at, value);
  }
}

import { LOOSE_URL_RULE } from "../schemas.ts";
import type { Finding } from "./rules.ts";

const IN_FIELD = new RegExp(LOOSE_URL_RULE, "u");

/** An address that clients fetch. */
export function* lintAddress(pointer: string, url: string): Generator<Finding> {
  if (url.startsWith("file:")) {
    yield { rule: "address-local", pointer, message: "works on one machine only. Use an https address." };
  } else {
    yield* lintLink(pointer, url);
  }
  if (!IN_FIELD.test(url)) {
    yield {
      rule: "address-refused-in-field",
      pointer,
      message: "is refused by the field's client. Use a whole host name.",
    };
  }
}

/** An address that people follow; other texts may stand there as well. */
export function* lintLink(pointer: string, text: string): Generator<Finding> {
  if (!text.startsWith("http://")) return;
  const fix = text.replace("http://", "https://");
  yield { rule: "address-http", pointer, message: "can be changed by anybody on the way. Use https.", fix };
}

import { type CallbackQuery, GATEWAY_LIMITS } from "@backplane/contract/gateway";
import type { FieldFault } from "@backplane/kit/problems";
import { isState, STATE_RULE } from "../messages.ts";
import type { ProviderAnswer } from "../registrations.ts";

export type Callback = { readonly state: string; readonly answer: ProviderAnswer };
export type Faults = { readonly faults: readonly FieldFault[] };

/** RFC 6749 A.11: printable ASCII. */
const CODE = /^[\x20-\x7e]{1,4096}$/;
/** RFC 6749 A.7: printable ASCII except quotes and backslash. */
const ERROR = /^[\x20\x21\x23-\x5b\x5d-\x7e]{1,200}$/;
const MAX_DESCRIPTION_LENGTH = 2_000;

/** Reads the provider's redirect. Unknown parameters are passed on, repeated ones are refused (RFC 6749 §3.1, §4.1.2). */
export function readCallback(text: string): Callback | Faults {
  const parsed = parseQuery(text);
  if ("faults" in parsed) return parsed;
  const { query } = parsed;
  const { state, code, error, error_description: description } = query;
  const faults: FieldFault[] = [];
  const fault = (name: string, message: string) => faults.push({ pointer: `/${name}`, message });

  if (state === undefined) fault("state", "state is missing");
  else if (!isState(state)) fault("state", STATE_RULE);
  if (code === undefined && error === undefined) fault("code", "code is missing");
  if (code !== undefined && error !== undefined) fault("code", "code and error must not both be given");
  if (code !== undefined && !CODE.test(code)) fault("code", "code is empty, too long or not printable");
  if (error !== undefined && !ERROR.test(error)) fault("error", "error is empty, too long or not printable");
  if (description !== undefined && description.length > MAX_DESCRIPTION_LENGTH) {
    fault("error_description", `error_description is longer than ${MAX_DESCRIPTION_LENGTH} characters`);
  }
  if (faults.length > 0 || state === undefined) return { faults };
  if (code !== undefined) return { state, answer: { code, query } };
  return { state, answer: { error: error ?? "", description, query } };
}

function parseQuery(text: string): { query: CallbackQuery } | Faults {
  const query: CallbackQuery = {};
  let count = 0;
  for (let from = 0; from < text.length; ) {
    let to = text.indexOf("&", from);
    if (to < 0) to = text.length;
    if (to > from) {
      const pair = readPair(text.slice(from, to));
      if ("faults" in pair) return pair;
      if (Object.hasOwn(query, pair.name))
        return one(pair.name, `${known(pair.name) ?? "a parameter"} is given more than once`);
      count += 1;
      if (count > GATEWAY_LIMITS.maxCallbackParameters) {
        return one("", `more than ${GATEWAY_LIMITS.maxCallbackParameters} parameters were given`);
      }
      put(query, pair.name, pair.value);
    }
    from = to + 1;
  }
  return { query };
}

/** `__proto__` needs care on a plain object. An object without a prototype would not, but is slower to write. */
function put(query: CallbackQuery, name: string, value: string): void {
  if (name !== "__proto__") query[name] = value;
  else Object.defineProperty(query, name, { value, enumerable: true, configurable: true, writable: true });
}

function readPair(text: string): { name: string; value: string } | Faults {
  const equals = text.indexOf("=");
  const rawName = equals < 0 ? text : text.slice(0, equals);
  try {
    const name = decode(rawName);
    const value = equals < 0 ? "" : decode(text.slice(equals + 1));
    // No state contains a space: it was a + that somebody did not escape.
    return { name, value: name === "state" ? value.replaceAll(" ", "+") : value };
  } catch {
    return one(rawName, `${known(rawName) ?? "a parameter"} contains an invalid % escape`);
  }
}

/** Faults name only these parameters. Any other name is text from a stranger, which we do not repeat. */
const known = (name: string) => ["code", "state", "error", "error_description", "iss"].find((one) => one === name);

function decode(text: string): string {
  if (!text.includes("%") && !text.includes("+")) return text;
  return decodeURIComponent(text.replaceAll("+", " "));
}

const one = (name: string, message: string): Faults => ({
  faults: [{ pointer: known(name) ? `/${name}` : "", message }],
});

import { isObject } from "../sign-in/is-object.ts";
import { callRegistry, type PublisherOptions, unexpectedAnswer } from "./call.ts";
import type { RegistryKey } from "./types.ts";

/**
 * POST /registry/keys, as the instance's owner: makes the next key of the index, which is announced while both sign.
 * Later, with `promote`, it takes the place of the current one.
 */
export async function rotateRegistryKey(
  options: PublisherOptions & { promote?: boolean | undefined },
): Promise<RegistryKey[]> {
  const body = await callRegistry(options, {
    method: "POST",
    path: "/registry/keys",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ promote: options.promote === true }),
  });
  if (!isObject(body) || !Array.isArray(body.keys)) throw unexpectedAnswer("The answer is no list of keys");
  return body.keys as RegistryKey[];
}

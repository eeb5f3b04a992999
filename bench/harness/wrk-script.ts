import type { HttpRequest } from "./http-request.ts";

/** The request as the Lua that wrk runs once, at its start. */
export function wrkScript({ method = "GET", headers = {}, body, variants }: HttpRequest): string {
  const lines = [`wrk.method = ${luaString(method)}`];
  for (const [name, value] of Object.entries(headers)) {
    lines.push(`wrk.headers[${luaString(name)}] = ${luaString(value)}`);
  }
  if (body !== undefined) lines.push(`wrk.body = ${luaString(body)}`);
  if (variants !== undefined) lines.push(...takeTurns(variants));
  return `${lines.join("\n")}\n`;
}

/** Written once at the start, so that under load only the next one is picked. */
function takeTurns(variants: NonNullable<HttpRequest["variants"]>): string[] {
  const pairs = variants.map(
    ({ path, body }) => `{${luaString(path)},${body === undefined ? "nil" : luaString(body)}}`,
  );
  return [
    `local variants = {${pairs.join(",")}}`,
    "local requests, turn = {}, 0",
    "function init() for i, v in ipairs(variants) do requests[i] = wrk.format(nil, v[1], nil, v[2]) end end",
    "function request() turn = turn % #requests + 1 return requests[turn] end",
  ];
}

/** Byte by byte, in decimal: no character of a body can end the string early or mean something in Lua. */
function luaString(text: string): string {
  const isPlain = (byte: number) => byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;
  const bytes = [...Buffer.from(text)];
  return `"${bytes.map((byte) => (isPlain(byte) ? String.fromCharCode(byte) : `\\${String(byte).padStart(3, "0")}`)).join("")}"`;
}

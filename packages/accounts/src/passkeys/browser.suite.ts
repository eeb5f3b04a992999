import assert from "node:assert/strict";

type Cookie = { host: string; path: string; name: string; value: string; isStrict: boolean };

export type Ask = {
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** As if a page on another site had sent the browser here. */
  fromElsewhere?: boolean;
};

/** A minimal browser for signing in: keeps cookies by host and path, and does not follow redirects by itself. */
export class Browser {
  readonly origin: string;
  readonly #cookies: Cookie[] = [];

  constructor(origin: string) {
    this.origin = origin;
  }

  /** From a page on the site, or by following a link from another site. */
  async ask(address: string, { method = "GET", body, headers = {}, fromElsewhere = false }: Ask = {}) {
    const url = new URL(address, this.origin);
    const cookie = this.#for(url, fromElsewhere);
    const response = await fetch(url, {
      method,
      redirect: "manual",
      headers: {
        ...(cookie ? { cookie } : {}),
        "sec-fetch-site": fromElsewhere ? "cross-site" : "same-origin",
        ...(method === "GET" ? {} : { origin: this.origin }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    for (const line of response.headers.getSetCookie()) this.#keep(url, line);
    return response;
  }

  cookie(name: string): string | undefined {
    return this.#cookies.find((cookie) => cookie.name === name)?.value;
  }

  /** A cookie that the test sets. */
  put(name: string, value: string): void {
    this.#cookies.push({ host: new URL(this.origin).hostname, path: "/", name, value, isStrict: true });
  }

  drop(name: string): void {
    const at = this.#cookies.findIndex((cookie) => cookie.name === name);
    if (at !== -1) this.#cookies.splice(at, 1);
  }

  #for({ hostname, pathname }: URL, fromElsewhere: boolean): string {
    return this.#cookies
      .filter(({ host, path }) => host === hostname && pathname.startsWith(path))
      .filter(({ isStrict }) => !(isStrict && fromElsewhere))
      .map(({ name, value }) => `${name}=${value}`)
      .join("; ");
  }

  #keep({ hostname: host }: URL, line: string): void {
    const [pair = "", ...attributes] = line.split(/; ?/);
    const [name = "", value = ""] = pair.split(/=(.*)/);
    const attribute = (wanted: string) =>
      attributes.find((text) => text.toLowerCase().startsWith(`${wanted}=`))?.slice(wanted.length + 1);
    assert.ok(
      attributes.some((text) => text.toLowerCase() === "httponly"),
      `${name} is out of reach for scripts`,
    );
    const path = attribute("path") ?? "/";
    const at = this.#cookies.findIndex((kept) => kept.host === host && kept.name === name && kept.path === path);
    if (at !== -1) this.#cookies.splice(at, 1);
    const expires = attribute("expires");
    if (attribute("max-age") === "0" || (expires && Date.parse(expires) < Date.now())) return;
    this.#cookies.push({ host, path, name, value, isStrict: attribute("samesite")?.toLowerCase() === "strict" });
  }
}

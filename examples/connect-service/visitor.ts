// A minimal browser for scripts: follows redirects, keeps cookies, submits forms.

type Cookie = { host: string; path: string; pair: string };

const MAX_REDIRECTS = 10;

export type Page = { url: URL; status: number; text: string };

export function createVisitor() {
  const cookies = new Map<string, Cookie>();

  function keepCookies(url: URL, response: Response): void {
    for (const line of response.headers.getSetCookie()) {
      const [pair = "", ...attributes] = line.split(";").map((part) => part.trim());
      const attribute = (name: string) =>
        attributes.find((part) => part.toLowerCase().startsWith(`${name}=`))?.split("=")[1];
      const path = attribute("path") ?? "/";
      const key = `${url.host} ${path} ${pair.split("=")[0]}`;
      const isExpired = Date.parse(attribute("expires") ?? "9999") < Date.now();
      if (isExpired) cookies.delete(key);
      else cookies.set(key, { host: url.host, path, pair });
    }
  }

  async function open(address: string | URL, form?: URLSearchParams): Promise<Page> {
    let url = new URL(address);
    let body = form;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const matching = [...cookies.values()].filter(
        ({ host, path }) => host === url.host && url.pathname.startsWith(path),
      );
      const response = await fetch(url, {
        headers: { accept: "text/html", cookie: matching.map(({ pair }) => pair).join("; ") },
        redirect: "manual",
        ...(body === undefined ? {} : { method: "POST", body }),
      });
      keepCookies(url, response);
      const location = response.headers.get("location");
      if (location === null) return { url, status: response.status, text: await response.text() };
      await response.body?.cancel();
      url = new URL(location, url);
      body = undefined;
    }
    throw new Error(`More than ${MAX_REDIRECTS} redirects from ${new URL(address).origin}.`);
  }

  return {
    open: (address: string) => open(address),
    /** Presses a button of the page's form. */
    async press(page: Page, label: string): Promise<Page> {
      const button = new RegExp(`<button name="([^"]*)" value="([^"]*)">${label}</button>`).exec(page.text);
      if (button === null) throw new Error(`No button "${label}" at ${page.url.origin}:\n${page.text}`);
      const [, name = "", value = ""] = button;
      return open(page.url, new URLSearchParams({ [name]: value }));
    },
  };
}

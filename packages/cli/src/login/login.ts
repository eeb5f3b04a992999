import { hostname } from "node:os";
import { getUser, type SignInEvent, type SignInLink, signIn, signOut } from "@backplane/sdk";
import { endOf } from "../expiry.ts";
import { openBrowser, openingWords } from "../open-browser.ts";
import { openProgress } from "../progress.ts";
import { runCommand } from "../run.ts";
import { openTerminal, SHAPES, table } from "../terminal.ts";
import { plain } from "../text.ts";
import { showLink } from "./link-report.ts";
import { baseUrlOf, environmentToken, openSessionStore, type ServerOptions } from "./session.ts";

type LoginOptions = ServerOptions & { name?: string; maxAge?: number; browser?: boolean };

const MAX_NAME_LENGTH = 80;

/** `backplane login`. Returns the exit code. */
export function login(host: NodeJS.Process, options: LoginOptions): Promise<number> {
  const print = (event: string, more: object) => host.stdout.write(`${JSON.stringify({ event, ...more })}\n`);
  const allowHttp = options.allowHttp === true;
  return runCommand(host, options, async ({ json, signal, context }) => {
    const baseUrl = baseUrlOf(host, options);
    context.baseUrl = baseUrl;
    const store = openSessionStore(host);
    const earlier = await store.read(baseUrl).catch(() => undefined);
    const shown = Promise.withResolvers<SignInLink>();
    let onState: (event: SignInEvent) => void = () => {};
    const signingIn = signIn({
      baseUrl,
      allowHttp,
      maxAge: options.maxAge,
      appName: (options.name ?? `backplane on ${hostname()}`).slice(0, MAX_NAME_LENGTH),
      signal,
      onUrl: shown.resolve,
      onState: (event) => onState(event),
    });
    // It may fail while a browser is being opened; it is awaited below.
    signingIn.catch(() => {});
    const link = await Promise.race([shown.promise, signingIn.then(() => shown.promise)]);
    if (json) print("open", link);
    else showLink(host, link, Date.now());
    if (options.browser !== false && !json) {
      const words = openingWords(await openBrowser(host, link.url), baseUrl);
      if (words !== undefined) openTerminal(host.stdout, host.env).line(words);
    }
    const { sessionToken, maxAge } = await waiting(host, json, (says) => {
      onState = (event) => says(wordsFor(event));
      says(wordsFor({ type: "waiting", by: "stream" }));
      return signingIn;
    });

    const session = { baseUrl, allowHttp, sessionToken };
    const user = await getUser(session).catch(() => undefined);
    const expiresAt = user?.session.expiresAt ?? Date.now() + maxAge * 1_000;
    await store.write(baseUrl, { sessionToken, expiresAt, allowHttp }).catch(async (error) => {
      // A session that nobody can use should not stay open.
      await signOut(session).catch(() => {});
      throw error;
    });
    if (earlier !== undefined) await signOut({ ...session, sessionToken: earlier.sessionToken }).catch(() => {});
    const path = store.pathOf(baseUrl);
    if (json) print("signed-in", { baseUrl, user: user?.name ?? null, path, expiresAt });
    else report(host, [user === undefined ? "" : plain(user.name), baseUrl, path], expiresAt);
    return undefined;
  });
}

async function waiting<T>(
  host: NodeJS.Process,
  json: boolean,
  work: (says: (text: string) => void) => Promise<T>,
): Promise<T> {
  let last = "";
  const print = (says: string) => {
    if (says !== last) host.stdout.write(`${JSON.stringify({ event: "progress", says })}\n`);
    last = says;
  };
  if (json) return work(print);
  using progress = openProgress(host.stdout, host.env.TERM === "dumb", Date.now);
  return await work(progress.says);
}

const wordsFor = (event: SignInEvent): string =>
  event.type === "lost" ? "Connection to Backplane lost, trying again" : "Waiting for your answer in the browser";

function report(host: NodeJS.Process, [name = "", baseUrl = "", path = ""]: string[], expiresAt: number): void {
  const out = openTerminal(host.stdout, host.env);
  const who = name === "" ? `Signed in at ${baseUrl}.` : `Signed in as ${name} at ${baseUrl}.`;
  out.line(`${out.paint("ok", SHAPES.ok)} ${out.paint("strong", who)}`);
  const rows = [
    ["Session", `${path}, for this account only`],
    ["Valid", endOf(expiresAt, Date.now())],
  ];
  for (const line of table(rows)) out.line(line);
  if (environmentToken(host) !== undefined) {
    out.line(
      `${out.paint("warn", SHAPES.warn)} BACKPLANE_TOKEN is set and takes precedence. Unset it to use this session.`,
    );
  }
}

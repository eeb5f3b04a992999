import { loadSettings, SettingsFault } from "@backplane/kit/settings";
import { exchangeCode, type OAuthFlowEvent, startOAuthFlow } from "@backplane/sdk";
import { createTokenSource, openTokenStore } from "@backplane/sdk/tokens";
import { openBrowser } from "./open-browser.ts";
import type { ConnectOptions } from "./options.ts";
import { accountName } from "./places.ts";
import { type Plan, planConnection } from "./plan.ts";
import { badInput, CONNECT_EXIT, isRefusal, type Refusal, refusalOf, tell } from "./refusal.ts";
import { type ConnectReport, createJsonReport, createReport } from "./report.ts";
import { toldToStop } from "./told-to-stop.ts";

type Gateway = { gatewayUrl: string; gatewayWsUrl?: string };

/** `backplane connect <provider>`. Returns the exit code. */
export async function connect(host: NodeJS.Process, provider: string, options: ConnectOptions): Promise<number> {
  const json = options.json === true;
  const report = json ? createJsonReport(host) : createReport(host, Date.now);
  const gateway = gatewayOf(host, options);
  if (isRefusal(gateway)) return tell(host, json, gateway);
  const { gatewayUrl } = gateway;
  using told = toldToStop(host);
  try {
    const context = { redirectUri: `${gatewayUrl}/callback`, fetch, signal: told.signal };
    const plan = await report.during((says) => planConnection(provider, options, { ...context, says }));
    if (isRefusal(plan)) return tell(host, json, plan);
    await run(host, report, { provider, options, gateway, plan, signal: told.signal });
    return CONNECT_EXIT.ok;
  } catch (error) {
    if (told.signal.aborted) {
      return tell(host, json, { code: "aborted", message: "Stopped. Nothing was stored.", exit: told.exitCode() });
    }
    const refusal = refusalOf(error);
    const outcome = refusal.exit === CONNECT_EXIT.failed ? `${provider} is not connected.\n` : "";
    return tell(host, json, { ...refusal, message: `${outcome}${refusal.message}` });
  }
}

type Run = { provider: string; options: ConnectOptions; gateway: Gateway; plan: Plan; signal: AbortSignal };

async function run(host: NodeJS.Process, report: ConnectReport, { provider, options, gateway, plan, signal }: Run) {
  const { request, endpoint, warnings } = plan;
  const { user = accountName(), timeout, open } = options;
  const store = openTokenStore();
  const source = createTokenSource({ ...endpoint, store, provider, user });
  for (const warning of warnings) report.warning(warning);

  let onState: (event: OAuthFlowEvent) => void = () => {};
  const flow = await report.during((says) => {
    says("Connecting to the gateway");
    return startOAuthFlow({
      ...request,
      ...gateway,
      provider,
      signal,
      timeoutMs: timeout === undefined ? undefined : timeout * 1_000,
      onState: (event) => onState(event),
    });
  });
  report.address(flow.authRedirectUrl);
  if (open !== false) report.opening(await openBrowser(host, flow.authRedirectUrl), gateway.gatewayUrl);

  const tokens = await report.during(async (says) => {
    says(wordsFor("registered", provider));
    onState = ({ type }) => {
      // Why it failed is said when all is cleared away.
      if (type !== "failed") says(wordsFor(type, provider));
    };
    const answer = await flow.waitForCode();
    return exchangeCode({ ...answer, ...endpoint, signal });
  });
  await source.save(tokens);
  report.connected({
    provider,
    user,
    path: store.pathOf(provider, user),
    expiresAt: tokens.expiresAt,
    refreshable: tokens.refreshToken !== undefined,
    scopes: tokens.scope ?? request.scopes,
  });
}

function wordsFor(event: Exclude<OAuthFlowEvent["type"], "failed">, provider: string): string {
  switch (event) {
    case "connecting":
    case "lost":
      return "Connection to the gateway lost, trying again";
    case "registered":
      return `Waiting for your answer at ${provider}`;
    case "received":
      return "Answer received, fetching the tokens";
  }
}

function gatewayOf(host: NodeJS.Process, { gateway }: ConnectOptions): Gateway | Refusal {
  if (gateway !== undefined) return { gatewayUrl: gateway.replace(/\/+$/, "") };
  try {
    const { gatewayUrl, gatewayWsUrl } = loadSettings(host.env, host.cwd()).settings;
    return { gatewayUrl, gatewayWsUrl };
  } catch (fault) {
    if (!(fault instanceof SettingsFault)) throw fault;
    return badInput("bad-settings", fault.message);
  }
}

import { loadSettings, SettingsFault } from "@backplane/kit/settings";
import { exchangeCode, OAuthError, type OAuthFlowEvent, startOAuthFlow } from "@backplane/sdk";
import { openTokenStore } from "@backplane/sdk/tokens";
import { listConnections } from "./connections.ts";
import { openBrowser } from "./open-browser.ts";
import type { ConnectOptions } from "./options.ts";
import { accountName, tokenFolder } from "./places.ts";
import { type Plan, planConnection } from "./plan.ts";
import { badInput, CONNECT_EXIT, isRefusal, type Refusal, tell } from "./refusal.ts";
import { type Connected, type ConnectReport, createJsonReport, createReport } from "./report.ts";
import { toldToStop } from "./told-to-stop.ts";

type Gateway = { gatewayUrl: string; gatewayWsUrl?: string };

/** A gateway that is up answers at once; one that is being restarted is back by then. */
const CONNECT_TIMEOUT_MS = 5_000;

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
    if (!(error instanceof OAuthError)) throw error;
    return tell(host, json, refusalFor(provider, error, gatewayUrl));
  }
}

type Run = { provider: string; options: ConnectOptions; gateway: Gateway; plan: Plan; signal: AbortSignal };

async function run(host: NodeJS.Process, report: ConnectReport, { provider, options, gateway, plan, signal }: Run) {
  for (const warning of plan.warnings) report.warning(warning);
  const { user = accountName(), timeout, open } = options;
  const { issuer, clientId, clientSecret, clientAuth, tokenUrl, warnings: _, ...request } = plan;
  const client = { clientId, clientSecret, clientAuth };

  let onState: (event: OAuthFlowEvent) => void = () => {};
  const flow = await report.during((says) => {
    says("Connecting to the gateway");
    return startOAuthFlow({
      ...request,
      ...gateway,
      provider,
      clientId,
      signal,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      ...(issuer === undefined ? {} : { issuer }),
      ...(timeout === undefined ? {} : { timeoutMs: timeout * 1_000 }),
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
    return exchangeCode({ ...answer, ...client, tokenUrl, signal });
  });
  report.connected(await keep(provider, user, tokens, plan.scopes));
}

type Tokens = Awaited<ReturnType<typeof exchangeCode>>;

async function keep(
  provider: string,
  user: string,
  { idToken: _, ...tokens }: Tokens,
  askedScopes: string,
): Promise<Connected> {
  const folder = tokenFolder();
  // Both names beside the tokens: a file name holds only a hash of long ones.
  await openTokenStore({ folder }).write(provider, user, { ...tokens, provider, user });
  const stored = (await listConnections(folder)).find((one) => one.provider === provider && one.user === user);
  return {
    provider,
    user,
    path: stored?.path ?? folder,
    expiresAtMs: tokens.expiresAt,
    isRefreshable: tokens.refreshToken !== undefined,
    scopes: tokens.scope ?? askedScopes,
  };
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

function refusalFor(provider: string, { code, message, providerDescription }: OAuthError, gatewayUrl: string): Refusal {
  if (code === "gateway-unreachable") {
    const next = "Start everything with: backplane up\nOr give the address of a gateway that runs: --gateway <url>";
    return { code, message: `The gateway at ${gatewayUrl} does not answer.\n${next}`, exit: CONNECT_EXIT.unreachable };
  }
  if (code === "invalid-option") return badInput(code, message);
  const words = providerDescription === undefined ? "" : `\nThe provider says: ${providerDescription}`;
  return { code, message: `${provider} is not connected.\n${message}${words}`, exit: CONNECT_EXIT.failed };
}

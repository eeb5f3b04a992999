import { EXIT } from "@backplane/contract/problems";
import { exchangeCode, type OAuthFlowEvent, startOAuthFlow } from "@backplane/sdk";
import { createTokenSource, openTokenStore } from "@backplane/sdk/tokens";
import { explainForCli } from "../explain-error.ts";
import { openBrowser } from "../open-browser.ts";
import { isRefusal } from "../refusal.ts";
import { type Outcome, type Running, runCommand } from "../run.ts";
import { commandSettings } from "../running.ts";
import { accountName, type ConnectOptions, type Plan, planConnection, tokenFolder } from "./plan.ts";
import { type ConnectReport, createJsonReport, createReport } from "./report.ts";

type Gateway = { gatewayUrl: string; gatewayWsUrl?: string };

/** `backplane connect <provider>`. Returns the exit code. */
export function connect(host: NodeJS.Process, provider: string, options: ConnectOptions): Promise<number> {
  const work = async ({ json, signal }: Running): Promise<Outcome> => {
    const report = json ? createJsonReport(host) : createReport(host, Date.now);
    const gateway = gatewayOf(host, options);
    const context = { host, redirectUri: `${gateway.gatewayUrl}/callback`, fetch, signal };
    const plan = await report.during((says) => planConnection(provider, options, { ...context, says }));
    if (isRefusal(plan)) return plan;
    try {
      await run(host, report, { provider, options, gateway, plan, signal });
      return undefined;
    } catch (error) {
      if (signal.aborted) throw error;
      const refusal = explainForCli(error);
      const isUsers = refusal.exit === EXIT.usage || refusal.exit === EXIT.unreachable;
      return isUsers ? refusal : { ...refusal, message: `${provider} is not connected.\n${refusal.message}` };
    }
  };
  return runCommand(host, options, work, { whenStopped: "Stopped. Nothing was stored." });
}

type Run = { provider: string; options: ConnectOptions; gateway: Gateway; plan: Plan; signal: AbortSignal };

async function run(host: NodeJS.Process, report: ConnectReport, { provider, options, gateway, plan, signal }: Run) {
  const { request, endpoint, warnings } = plan;
  const { user = accountName(), timeout, open } = options;
  const store = openTokenStore({ folder: tokenFolder(host) });
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
      // The reason for a failure is reported at the end.
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

function gatewayOf(host: NodeJS.Process, { gateway }: ConnectOptions): Gateway {
  if (gateway !== undefined) return { gatewayUrl: gateway.replace(/(?<!\/)\/+$/, "") };
  const { gatewayUrl, gatewayWsUrl } = commandSettings(host);
  return { gatewayUrl, gatewayWsUrl };
}

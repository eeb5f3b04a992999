import type { Browser, Page } from "playwright-core";
import type { Visit } from "../support/browser.ts";
import type { RunningGateway } from "../support/gateway.ts";

/** One gateway, and a window that tests share: opening one takes longer than most of them. */
export type OAuthBench = { gateway: RunningGateway; browser: Browser; seen: Visit; page: Page };

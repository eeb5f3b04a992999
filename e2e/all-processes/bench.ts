import type { Browser, Page } from "playwright-core";
import type { RunningBackplane } from "../support/backplane.ts";
import type { Visit } from "../support/browser.ts";

/** `backplane up`, and a window that tests share: opening one takes longer than most of them. */
export type Bench = { backplane: RunningBackplane; browser: Browser; seen: Visit; page: Page };

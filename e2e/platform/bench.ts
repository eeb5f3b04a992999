import { beforeEach } from "node:test";
import type { Browser, Page } from "playwright-core";
import { changePerson, type Visit } from "../support/browser.ts";
import { makePerson, type Person, signedInWindow } from "../support/person.ts";
import type { RunningPlatform } from "../support/platform.ts";

/** The name of the provider through which people can sign in. */
export const COMPANY = "Fieldworks";

/** One platform, its owner, and a window that tests share: opening one takes longer than most of them. */
export type PlatformBench = {
  platform: RunningPlatform;
  browser: Browser;
  owner: Person;
  seen: Visit;
  page: Page;
};

/** Every test begins signed out, with no complaints of the one before. */
export function startSignedOut(bench: () => PlatformBench): void {
  beforeEach(async () => {
    const { seen, page } = bench();
    await changePerson(page);
    seen.complaints.length = 0;
  });
}

/** What tests of the account page do. */
export function onAccountPage(bench: () => PlatformBench) {
  return {
    h1: (name: string | RegExp) => bench().page.getByRole("heading", { level: 1, name }),
    part: (name: string) => bench().page.getByRole("region", { name }),
    newPerson: (name: string) => makePerson(bench().owner, bench().platform.url, name),
    isSignedIn: async ({ call }: Person) => (await call(bench().platform.url, "/user")).status === 200,
    async openAccount(person: Person): Promise<void> {
      const { platform, page } = bench();
      await changePerson(page, signedInWindow(person));
      await page.goto(`${platform.pages}/account`);
      await page.getByRole("button", { name: "Sign out" }).waitFor();
    },
  };
}

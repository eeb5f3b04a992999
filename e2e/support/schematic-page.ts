import type { Locator, Page } from "playwright-core";
import { until } from "./processes.ts";

/** The schematic editor in one window, driven by keys. */
export class SchematicPage {
  readonly page: Page;
  readonly slot: Locator;
  readonly stage: Locator;

  constructor(page: Page, slot: Locator) {
    this.page = page;
    this.slot = slot;
    this.stage = slot.locator(".schematic-stage");
  }

  status(): Locator {
    return this.slot.locator(".schematic-status [role=status]");
  }

  async openFile(name: string): Promise<void> {
    const open = this.slot.getByRole("button", { name: "Open", exact: true });
    if ((await open.count()) > 0) await open.press("Enter");
    await this.slot.getByRole("combobox", { name: "Open a schematic" }).fill(name);
    await this.page.keyboard.press("Enter");
  }

  /** Finds an item by words and selects it; the keyboard is on the sheet then. False when there is none. */
  async choose(words: string): Promise<boolean> {
    await this.stage.press("Control+f");
    const field = this.slot.getByRole("combobox", { name: "Find on all sheets" });
    await field.fill(words);
    const found = (await this.slot.locator(".schematic-lists [role=option]").count()) > 0;
    await field.press(found ? "ArrowDown" : "Escape");
    if (!found) {
      await this.stage.focus();
      return false;
    }
    await this.slot.locator('[role=option][aria-selected="true"]').first().waitFor();
    await field.press("Enter");
    await until(
      () => this.stage.evaluate((element) => element === document.activeElement),
      "the sheet has the keyboard",
    );
    return true;
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) await this.stage.press(key);
  }

  /** From the menu at the right. */
  async more(entry: string): Promise<void> {
    await this.slot.getByRole("button", { name: "More" }).click();
    await this.page.getByRole("menuitem", { name: entry }).click();
  }

  async download(entry: string): Promise<string> {
    const arriving = this.page.waitForEvent("download");
    await this.more(entry);
    const stream = await (await arriving).createReadStream();
    const parts: Buffer[] = [];
    for await (const part of stream) parts.push(part as Buffer);
    return Buffer.concat(parts).toString();
  }
}

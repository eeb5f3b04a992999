import type { Actor } from "../services.ts";

/** Two people in pages, and two programs. */
export const ADA: Actor = { user: "Ada", tab: "tab-1", key: "ada/tab-1", isProgram: false };
export const EVE: Actor = { user: "Eve", tab: "tab-2", key: "eve/tab-2", isProgram: false };
export const BOT: Actor = { user: "Ada", program: "Bench bot", key: "key-1", isProgram: true };
export const OTHER_BOT: Actor = { user: "Eve", program: "Other bot", key: "key-2", isProgram: true };

import { homedir, userInfo } from "node:os";
import { join } from "node:path";

/** Where credentials are looked for without --credentials; undefined for a name that is no plain file name. */
export const credentialsFile = (provider: string): string | undefined =>
  /^[a-z0-9][a-z0-9_-]*$/i.test(provider)
    ? join(homedir(), ".backplane", "credentials", `${provider}.json`)
    : undefined;

/** An account without a name, as in some containers, is still one account. */
export function accountName(): string {
  try {
    return userInfo().username || "me";
  } catch {
    return "me";
  }
}

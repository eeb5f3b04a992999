import { withParameters } from "./list/list-address.ts";

/** Writes what is chosen into the address, for reloads and links, without being a navigation to the router. */
export function changeAddress(change: Record<string, string | undefined>): void {
  window.history.replaceState(window.history.state, "", withParameters(window.location.href, change));
}

const EVENT = "backplane-probe";

/** A part or a net that somebody picked in one panel, for those that show the same design. */
export type Probe = { part?: string; net?: string };
type Sent = { from: string; probe: Probe };

/** Tells the other panels of this page. */
export function sendProbe(tabId: string, probe: Probe): void {
  window.dispatchEvent(new CustomEvent<Sent>(EVENT, { detail: { from: tabId, probe } }));
}

/** Called for what other panels of this page have picked. */
export function onProbe(tabId: string, listener: (probe: Probe) => void): () => void {
  const take = (event: Event) => {
    const { from, probe } = (event as CustomEvent<Sent>).detail;
    if (from !== tabId) listener(probe);
  };
  window.addEventListener(EVENT, take);
  return () => window.removeEventListener(EVENT, take);
}

import type { OpenBus } from "@backplane/kit/bus";
import type { WaitingTab } from "./eval-store.ts";

const CHANNEL = "panels.waiting-evals";

type Message = WaitingTab & { isWaiting: boolean };

type Options = { bus: OpenBus; read: () => Promise<WaitingTab[]>; onFault: (error: unknown) => void };

/**
 * Which tabs code waits for, known to every instance without a query: a query would double the cost of every call. The
 * table is read again after an outage of the bus, and now and then.
 */
export async function createWaitingTabs({ bus, read, onFault }: Options) {
  let known = new Map<string, WaitingTab>();
  /** Messages that came while the table was read: they are newer than the table. */
  const meanwhile = new Set<Message[]>();
  const keyOf = ({ workspaceId, tabId }: WaitingTab): string => `${workspaceId} ${tabId}`;

  function note({ workspaceId, tabId, isWaiting }: Message): void {
    const tab = { workspaceId, tabId };
    if (isWaiting) known.set(keyOf(tab), tab);
    else known.delete(keyOf(tab));
    for (const messages of meanwhile) messages.push({ ...tab, isWaiting });
  }

  const unsubscribe = await bus.subscribe(CHANNEL, (message) => note(message as Message));
  async function refresh(): Promise<void> {
    const messages: Message[] = [];
    meanwhile.add(messages);
    try {
      const tabs = await read();
      known = new Map(tabs.map((tab) => [keyOf(tab), tab]));
    } finally {
      meanwhile.delete(messages);
    }
    for (const message of messages) note(message);
  }
  const stopWatching = bus.onStateChange((state) => {
    if (state === "up") refresh().catch(onFault);
  });
  await refresh();

  async function tell(message: Message): Promise<void> {
    note(message);
    // Without the bus, other instances learn it from the table a little later.
    await bus.publish(CHANNEL, message).catch(() => undefined);
  }

  return {
    has: (tab: WaitingTab): boolean => known.size > 0 && known.has(keyOf(tab)),
    all: (): WaitingTab[] => [...known.values()],
    add: (tab: WaitingTab) => tell({ ...tab, isWaiting: true }),
    remove: (tab: WaitingTab) => tell({ ...tab, isWaiting: false }),
    refresh,
    async close() {
      stopWatching();
      await unsubscribe();
    },
  };
}

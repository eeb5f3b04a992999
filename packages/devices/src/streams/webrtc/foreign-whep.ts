import { randomUUID } from "node:crypto";
import { DEVICES_LIMITS } from "@backplane/contract/devices";
import { createGuardedFetch, statusWords } from "../guarded-fetch.ts";
import type { StreamEvents, StreamTools } from "../source.ts";
import { readAnswer } from "./answer.ts";

const { maxOfferBytes, streamStartMs } = DEVICES_LIMITS;
const SDP = "application/sdp";

export type WhepPlace = { address: string; token: string | undefined };

/** Another server's stream by WHEP: we are its viewer, and pass the pictures on. It sees neither our viewers nor they its token. */
export function openForeignWhep(
  { network, media }: StreamTools,
  { address, token }: WhepPlace,
  events: StreamEvents,
): { close(): void } {
  const { hostname } = new URL(address);
  const http = createGuardedFetch(network, { home: address, token, timeoutMs: streamStartMs });
  let location: string | undefined;
  let isOver = false;

  const receiving = media.receive(randomUUID(), undefined, {
    picture: (picture) => !isOver && events.picture(picture),
    ended: (reason) => end(reason ?? "The thread for video has ended."),
  });

  function close(): void {
    isOver = true;
    receiving.end();
    void leave().finally(http.close);
  }
  const end = (reason: string): void => {
    if (isOver) return;
    close();
    events.ended(reason);
  };
  /** Servers notice sooner that we are gone. */
  async function leave(): Promise<void> {
    if (location === undefined) return;
    const answer = await http.request(location, { method: "DELETE" }).catch(() => undefined);
    answer?.drop();
  }
  /** The address of our viewer there: only of the same server. */
  function locationOf(said: string | undefined): string | undefined {
    if (said === undefined || !URL.canParse(said, address)) return undefined;
    const found = new URL(said, address);
    return found.origin === new URL(address).origin ? found.href : undefined;
  }
  const mayTalkTo = ({ host, port }: { host: string; port: number }) =>
    network.guard.resolve(host, port).then(
      () => true,
      () => false,
    );

  async function play(): Promise<void> {
    const offer = await receiving.sdp;
    if (isOver) return;
    if (offer === undefined) return end("The offer could not be made. Try again.");
    const answered = await http.request(address, {
      ...{ method: "POST", body: offer },
      headers: { "content-type": SDP, accept: SDP },
    });
    location = locationOf(answered.header("location"));
    if (isOver) return void leave();
    const { status } = answered;
    if (status !== 201 && status !== 200) {
      answered.drop();
      return end(
        status >= 300 && status < 400
          ? `${hostname} leads to another address (${status}). Use that one.`
          : statusWords(status, hostname),
      );
    }
    const read = await readAnswer((await answered.bytes(maxOfferBytes)).toString("utf8"), mayTalkTo);
    if (isOver) return;
    if ("reason" in read) return end(read.reason);
    events.codec({ name: "H.264" });
    receiving.answered(read.answer, read.addresses);
    receiving.want(true);
  }
  play().catch((error: Error) => end(error.message));
  return { close };
}

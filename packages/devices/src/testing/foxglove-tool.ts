import { type Channel, FoxgloveClient, type MessageData, type ServerInfo } from "@foxglove/ws-protocol";
import { WebSocket } from "ws";
import { until } from "../../../../scripts/testing/until.ts";

export const OLDER = "foxglove.websocket.v1";

/** The protocol's own client, as tools have it inside. */
export class FoxgloveTool {
  info: ServerInfo | undefined;
  readonly channels = new Map<number, Channel>();
  readonly messages: MessageData[] = [];
  readonly statuses: string[] = [];
  readonly errors: unknown[] = [];
  timeNs = 0n;
  closeCode: number | undefined;
  readonly socket: WebSocket;
  readonly client: FoxgloveClient;

  constructor(url: string, protocols: string[] = [OLDER]) {
    this.socket = new WebSocket(url, protocols);
    this.client = new FoxgloveClient({ ws: this.socket as never });
    this.socket.on("close", (code) => {
      this.closeCode = code;
    });
    this.client.on("serverInfo", (info) => {
      this.info = info;
    });
    this.client.on("advertise", (channels) => {
      for (const channel of channels) this.channels.set(channel.id, channel);
    });
    this.client.on("unadvertise", (ids) => {
      for (const id of ids) this.channels.delete(id);
    });
    this.client.on("message", (message) => this.messages.push(message));
    this.client.on("status", ({ message }) => this.statuses.push(message));
    this.client.on("time", ({ timestamp }) => {
      this.timeNs = timestamp;
    });
    this.client.on("error", (error) => this.errors.push(error));
  }

  async channel(topic: string): Promise<Channel> {
    const found = () => [...this.channels.values()].find((channel) => channel.topic === topic);
    await until(`${topic} is advertised`, () => found() !== undefined);
    return found() as Channel;
  }

  of(subscription: number): { timestamp: bigint; value: Record<string, unknown> }[] {
    return this.messages
      .filter(({ subscriptionId }) => subscriptionId === subscription)
      .map(({ timestamp, data }) => ({
        timestamp,
        value: JSON.parse(new TextDecoder().decode(data as Uint8Array<ArrayBuffer>)),
      }));
  }

  async closed(): Promise<number> {
    await until("the socket is closed", () => this.closeCode !== undefined);
    return this.closeCode ?? 0;
  }
}

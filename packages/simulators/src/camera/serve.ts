import { hash, randomBytes } from "node:crypto";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { type Picture, payloadsOf, ticksOf } from "@backplane/devices/cameras";

const MAX_REQUEST_BYTES = 16_384;
const REALM = "camera";
const METHODS = "OPTIONS, DESCRIBE, SETUP, PLAY, GET_PARAMETER, TEARDOWN";
/** After it, somebody who says nothing is forgotten. */
const TIMEOUT_S = 60;

export type CameraOptions = {
  host?: string;
  port: number;
  /** Whoever looks has to know both. */
  user?: string;
  password?: string;
  /** As the description names it. */
  encoding?: "H264" | "H265" | "JPEG";
  /** Begins to make pictures; ends when what is returned is called. */
  open(onPicture: (picture: Picture) => void): () => void;
  /** Units that are sent in the description and not before key pictures. */
  parameters?: readonly Buffer[];
};

export type Camera = {
  port: number;
  address: string;
  /** Who looks now. */
  viewers(): number;
  /** Breaks all connections, as a camera without power. */
  cut(): void;
  close(): Promise<void>;
};

/** A camera as those in the network: RTSP with pictures on the same connection. */
export async function startCamera(options: CameraOptions): Promise<Camera> {
  const sessions = new Set<Session>();
  let stop: (() => void) | undefined;
  const follow = (): void => {
    const isWatched = [...sessions].some(({ plays }) => plays);
    if (isWatched)
      stop ??= options.open((picture) => {
        for (const session of sessions) session.show(picture);
      });
    else {
      stop?.();
      stop = undefined;
    }
  };
  const server = createServer((socket) => {
    const session = new Session(socket, options, follow);
    sessions.add(session);
    socket.on("error", () => {});
    socket.on("close", () => {
      sessions.delete(session);
      follow();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host ?? "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const cut = () => {
    for (const { socket } of sessions) socket.destroy();
  };
  return {
    ...{ port, address: `rtsp://${options.host ?? "127.0.0.1"}:${port}/main`, cut },
    viewers: () => [...sessions].filter(({ plays }) => plays).length,
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
      stop?.();
    },
  };
}

class Session {
  readonly socket: Socket;
  plays = false;
  readonly #options: CameraOptions;
  readonly #onChange: () => void;
  readonly #nonce = randomBytes(8).toString("hex");
  readonly #id = randomBytes(4).toString("hex");
  #unread = "";
  #number = 0;
  #isFirst = true;

  constructor(socket: Socket, options: CameraOptions, onChange: () => void) {
    this.socket = socket;
    this.#options = options;
    this.#onChange = onChange;
    socket.setNoDelay(true);
    socket.on("data", (bytes: Buffer) => this.#read(bytes.toString("latin1")));
  }

  #read(text: string): void {
    this.#unread += text;
    if (this.#unread.length > MAX_REQUEST_BYTES) this.socket.destroy();
    for (let end = this.#unread.indexOf("\r\n\r\n"); end !== -1; end = this.#unread.indexOf("\r\n\r\n")) {
      const [first = "", ...lines] = this.#unread.slice(0, end).split("\r\n");
      this.#unread = this.#unread.slice(end + 4);
      const headers = new Map(
        lines.map((line) => [line.split(":", 1)[0]?.toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
      );
      this.#answer(first.split(" ")[0] ?? "", first.split(" ")[1] ?? "", headers);
    }
  }

  #answer(method: string, uri: string, headers: ReadonlyMap<string | undefined, string>): void {
    const send = (status: string, more: readonly string[] = [], body = "") =>
      this.socket.write(
        [
          `RTSP/1.0 ${status}`,
          `CSeq: ${headers.get("cseq") ?? "0"}`,
          ...more,
          `Content-Length: ${Buffer.byteLength(body)}`,
          "",
          body,
        ].join("\r\n"),
      );
    const session = [`Session: ${this.#id};timeout=${TIMEOUT_S}`];
    if (method === "OPTIONS") return void send("200 OK", [`Public: ${METHODS}`]);
    if (!this.#isKnown(method, uri, headers.get("authorization") ?? ""))
      return void send("401 Unauthorized", [`WWW-Authenticate: Digest realm="${REALM}", nonce="${this.#nonce}"`]);
    if (!URL.canParse(uri) || !new URL(uri).pathname.startsWith("/main")) return void send("404 Not Found");
    switch (method) {
      case "DESCRIBE":
        return void send("200 OK", ["Content-Type: application/sdp", `Content-Base: ${uri}/`], this.#description());
      case "SETUP": {
        const isTcp = headers.get("transport")?.includes("RTP/AVP/TCP") === true;
        if (!isTcp) return void send("461 Unsupported Transport");
        return void send("200 OK", [...session, "Transport: RTP/AVP/TCP;unicast;interleaved=0-1"]);
      }
      case "PLAY":
        send("200 OK", session);
        this.plays = true;
        return void this.#onChange();
      case "GET_PARAMETER":
        return void send("200 OK", session);
      case "TEARDOWN":
        send("200 OK", session);
        return void this.socket.end();
      default:
        return void send("501 Not Implemented");
    }
  }

  /** RFC 2617 without `qop`, as most cameras have it. */
  #isKnown(method: string, uri: string, said: string): boolean {
    const { user, password } = this.#options;
    if (user === undefined) return true;
    const md5 = (text: string) => hash("md5", text, "hex");
    const expected = md5(`${md5(`${user}:${REALM}:${password ?? ""}`)}:${this.#nonce}:${md5(`${method}:${uri}`)}`);
    return said.includes(`response="${expected}"`);
  }

  #description(): string {
    const { encoding = "H264", parameters = [] } = this.#options;
    const sets =
      parameters.length > 0 ? `;sprop-parameter-sets=${parameters.map((set) => set.toString("base64")).join(",")}` : "";
    return [
      ...["v=0", "o=- 0 0 IN IP4 127.0.0.1", "s=Camera", "t=0 0", "a=control:*"],
      ...["m=video 0 RTP/AVP 96", `a=rtpmap:96 ${encoding}/90000`, `a=fmtp:96 packetization-mode=1${sets}`],
      ...["a=control:track1", ""],
    ].join("\r\n");
  }

  show({ tMs, isKey, units }: Picture): void {
    if (!this.plays || (this.#isFirst && !isKey)) return;
    this.#isFirst = false;
    const payloads = payloadsOf(units);
    for (const [i, payload] of payloads.entries()) {
      this.#number = (this.#number + 1) & 0xffff;
      const head = Buffer.alloc(16);
      head.write("$");
      head.writeUInt16BE(12 + payload.length, 2);
      head[4] = 0x80;
      head[5] = 96 | (i === payloads.length - 1 ? 128 : 0);
      head.writeUInt16BE(this.#number, 6);
      head.writeUInt32BE(ticksOf(tMs), 8);
      this.socket.write(Buffer.concat([head, payload]));
    }
  }
}

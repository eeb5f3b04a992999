import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import mqttPacket, { type IConnectPacket } from "mqtt-packet";
import { type Admitted, admit, readConnect } from "./admission.ts";

const CONNECT: IConnectPacket = {
  cmd: "connect",
  clientId: "imu-1",
  protocolVersion: 4,
  protocolId: "MQTT",
  clean: true,
  keepalive: 1,
  username: "imu-1",
  password: Buffer.from("bpd_x"),
  will: { topic: "homie/5/imu-1/$state", payload: Buffer.from("lost"), qos: 1, retain: true },
};
const bytesOf = (change: Partial<IConnectPacket> = {}): Buffer =>
  mqttPacket.generate({ ...CONNECT, ...change } as IConnectPacket);

/** The CONNECT that is the example of the specification (MQTT 3.1.1, figure 3.6), with a client id and a password. */
const EXAMPLE = Buffer.from("101c00044d51545404c2000a0004696d752d000275730006" + "736563726574", "hex");

test("a CONNECT is read when it is whole, at whichever byte it is cut", () => {
  for (const bytes of [bytesOf(), EXAMPLE]) {
    for (let cut = 0; cut < bytes.length; cut += 1) {
      assert.deepEqual(readConnect(bytes.subarray(0, cut)), { is: "incomplete" }, `cut at ${cut}`);
    }
    assert.equal(readConnect(bytes).is, "connect");
    assert.equal(readConnect(Buffer.concat([bytes, Buffer.from("c000", "hex")])).is, "connect");
  }
  const read = readConnect(EXAMPLE);
  assert.ok(read.is === "connect");
  assert.deepEqual(
    [read.connect.username, String(read.connect.password), read.connect.keepalive],
    ["us", "secret", 10],
  );
});

const refusals: [what: string, bytes: Buffer, answer: string | undefined][] = [
  ["a client of MQTT 5 reads 'unsupported protocol version'", bytesOf({ protocolVersion: 5 }), "2003008400"],
  ["another version gets return code 1", Buffer.from("100c00044d515454090200000000", "hex"), "20020001"],
  ["a client id that is too long gets return code 2", bytesOf({ clientId: "x".repeat(129) }), "20020002"],
  ["another packet first is closed", Buffer.from("c000", "hex"), undefined],
  ["garbage is closed", Buffer.alloc(32, 0xff), undefined],
  ["a length of five bytes is closed", Buffer.from("10ffffffffff", "hex"), undefined],
  ["a CONNECT above 16 KiB is closed before it has arrived", Buffer.from("10818001", "hex"), undefined],
  ["CONNECT for another protocol is closed", Buffer.from("100c0004485454500402000a0000", "hex"), undefined],
];
for (const [what, bytes, answer] of refusals) {
  test(what, () => {
    const read = readConnect(bytes);
    assert.equal(read.is, "refused");
    assert.equal(read.is === "refused" ? read.answer?.toString("hex") : "", answer);
  });
}

test("HTTP is answered with what the port speaks", () => {
  const read = readConnect(Buffer.from("GET / HTTP/1.1\r\nhost: x\r\n\r\n"));
  assert.match(String(read.is === "refused" && read.answer), /^HTTP\/1\.1 400 .*speaks MQTT/s);
});

test("no bytes make it throw: random ones, and a CONNECT with any byte changed", () => {
  const whole = bytesOf();
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      readConnect(Buffer.from(bytes));
      readConnect(Buffer.concat([Buffer.from([0x10]), bytes]));
    }),
  );
  for (let at = 0; at < whole.length; at += 1) {
    for (const flip of [0x01, 0x80, 0xff]) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] as number) ^ flip;
      readConnect(changed);
    }
  }
});

async function serve(t: TestContext, connectMs?: number) {
  const admitted: (Admitted | undefined)[] = [];
  const left: Promise<Buffer>[] = [];
  const server = createServer((socket) => {
    const waiting = admit(socket, connectMs === undefined ? {} : { connectMs });
    waiting.then((result) => {
      admitted.push(result);
      if (!result) return;
      left.push(once(socket, "data").then(([bytes]) => bytes as Buffer));
      socket.resume();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const open = () => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => {});
    t.after(() => socket.destroy());
    return socket;
  };
  return { admitted, left, open };
}

test("the broker reads every byte again, also those that followed CONNECT", async (t) => {
  const { admitted, left, open } = await serve(t);
  const bytes = Buffer.concat([bytesOf(), Buffer.from("c000", "hex")]);
  const socket = open();
  for (const part of [bytes.subarray(0, 5), bytes.subarray(5)]) {
    socket.write(part);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  while (left.length === 0) await new Promise(setImmediate);
  assert.deepEqual(await left[0], bytes);
  assert.equal(admitted[0]?.connect.clientId, "imu-1");
});

test("a connection that sends half a CONNECT, or nothing, is closed when its time is over", async (t) => {
  const { admitted, open } = await serve(t, 50);
  const sockets = [bytesOf().subarray(0, 9), Buffer.alloc(0)].map((bytes) => {
    const socket = open();
    socket.write(bytes);
    return once(socket.resume(), "close");
  });
  await Promise.all(sockets);
  assert.deepEqual(admitted, [undefined, undefined]);
});

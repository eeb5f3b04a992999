import assert from "node:assert/strict";
import { createServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { until } from "../../../../../scripts/testing/until.ts";
import { openSourceForTest } from "../source-under-test.suite.ts";
import { gdbMessages } from "./codec.ts";

const MAP = "speed_rpm 0x20000000 f32 ro; target_rpm 0x20000004 f32; loops 0x20000008 u32 ro; faults 0x2000000c u16";
const REGISTERS = "; TIM1.SR 0x40012c10 u32 UIF@0; USART2.RDR 0x40004424 u16 once; nothing 0x10 u32";

const open = (t: TestContext, map = MAP, more = {}) =>
  openSourceForTest(t, { kind: "gdb", settings: { map, ...more } });

test("variables and registers of a chip are read while it runs, and it goes on after Backplane has connected", async (t) => {
  const { model, ready, simulator } = await open(t, MAP + REGISTERS, { rateHz: 20 });
  await ready();
  const [chip] = model.device("bench")?.capabilities ?? [];
  assert.equal(chip?.kind, "chip-data");
  assert.deepEqual(chip?.fields.loops, { datatype: "integer" });
  assert.equal(chip?.commands.write?.effect, "powers");
  const values = () => model.last("bench", "chip")?.values ?? {};
  await until("it regulates", () => Math.abs(Number(values().speed_rpm) - 1_500) < 10);
  assert.equal(values().state, "running");
  assert.equal(simulator.read("chip").state, "running");
  assert.equal(values().target_rpm, 1_500);
  assert.ok(Number(values()["TIM1.SR"]) & 1);
  const map = model.kept("bench", "chip", 0).find((sample) => sample.values.map)?.values.map as { name: string }[];
  assert.deepEqual(
    map.find(({ name }) => name === "TIM1.SR"),
    {
      ...{ name: "TIM1.SR", address: 0x4001_2c10, type: "u32", access: "rw", bits: [{ name: "UIF", from: 0, to: 0 }] },
    },
  );
  assert.match(
    model
      .device("bench")
      ?.alerts.map(({ text }) => text)
      .join() ?? "",
    /cannot read nothing\./,
  );
});

test("what changes when it is read is read only when somebody asks", async (t) => {
  const { model, ready, command } = await open(t, MAP + REGISTERS);
  await ready();
  const kept = () => model.kept("bench", "chip", 0).flatMap(({ values }) => values["USART2.RDR"] ?? []);
  await until("it was read several times", () => model.kept("bench", "chip", 0).length > 3);
  assert.deepEqual(kept(), []);
  for (const letter of ["A", "T", "+"]) {
    assert.equal((await command("chip", "read", { name: "USART2.RDR" })).ok, true);
    assert.equal(kept().at(-1), letter.charCodeAt(0));
  }
});

test("a variable is written when the chip has it; what it does not take is said, and what does not fit is refused", async (t) => {
  const { model, ready, command, simulator } = await open(t, MAP + REGISTERS);
  await ready();
  assert.deepEqual(
    { ...(await command("chip", "write", { name: "target_rpm", value: 2_000.5 })), tookMs: 0 },
    { ok: true, tookMs: 0 },
  );
  assert.equal(simulator.read("chip").target_rpm, 2_000.5);
  await until("the motor follows", () => Number(model.last("bench", "chip")?.values.speed_rpm) > 1_900);
  const flag = await command("chip", "write", { name: "TIM1.SR", value: 0xff00 });
  assert.match(flag.detail ?? "", /^It reads back as \d+\.$/);
  const refusals = [
    [{ name: "speed_rpm", value: 1 }, "denied", "name"],
    [{ name: "faults", value: 65_536 }, "out-of-limits", "value"],
    [{ name: "faults", value: 1.5 }, "not-a-number", "value"],
    [{ name: "other", value: 1 }, "unknown-field", "name"],
    [{ name: "nothing", value: 1 }, "denied", undefined],
  ] as const;
  for (const [params, code, field] of refusals) {
    const ack = await command("chip", "write", params);
    assert.deepEqual([ack.ok, ack.code, ack.field], [false, code, field], JSON.stringify(ack));
  }
  simulator.setFault("lying", true);
  assert.match((await command("chip", "write", { name: "faults", value: 7 })).detail ?? "", /reads back as 0/);
});

test("a chip that is halted stands still, shows its core registers, and goes on", async (t) => {
  const { model, ready, command } = await open(t);
  await ready();
  assert.equal((await command("chip", "halt")).ok, true);
  const values = () => model.last("bench", "chip")?.values ?? {};
  await until("its registers are read", () => values().registers !== undefined);
  assert.deepEqual([values().state, (values().registers as { pc: number }).pc], ["halted", 0x0800_1400]);
  const { loops } = values();
  await until("it was read again", () => model.last("bench", "chip")?.tMs !== undefined && values().loops === loops);
  assert.equal((await command("chip", "resume")).ok, true);
  await until("it goes on", () => Number(values().loops) > Number(loops));
  assert.equal(values().state, "running");
});

test("with reads=paused the chip runs between reads", async (t) => {
  const { model, ready, simulator } = await open(t, MAP, { reads: "paused", rateHz: 5 });
  await ready();
  const loops = () => Number(model.last("bench", "chip")?.values.loops);
  await until("it runs", () => loops() > 100);
  assert.equal(model.last("bench", "chip")?.values.state, "running");
  const told = simulator.witnessed().map(({ name }) => name);
  assert.ok(told.filter((name) => name === "halt").length >= 2, told.join());
});

/** A debug server that has one trait of its own. */
async function serve(t: TestContext, answer: (data: string, reply: (data: string) => void) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    const reader = gdbMessages.createReader();
    socket.on("data", (bytes) => {
      for (const message of reader.take(bytes))
        if (message.type === "packet")
          answer(message.data, (data) => socket.write(gdbMessages.write({ type: "packet", data })));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as { port: number }).port;
}

test("a debug server that stops the chip when it is asked, or is silent while it runs, is named with what to do", async (t) => {
  const reasons = [/stops the chip to read it.*reads=paused/, /does not answer while the chip runs.*reads=paused/];
  for (const [i, isStopping] of [true, false].entries()) {
    let isRunning = false;
    const port = await serve(t, (data, reply) => {
      if (data === "c") isRunning = true;
      else if (!isRunning) reply(data === "?" ? "S05" : "");
      else if (isStopping) {
        isRunning = false;
        reply("T02");
      }
    });
    const { statuses } = await open(t, MAP, { port });
    await until("it is said", () => statuses.some(({ reason = "" }) => reasons[i]?.test(reason)));
  }
});

test("what does not speak the protocol is refused, and a silent server is lost and comes back", async (t) => {
  const { model, ready, isReady, simulator, statuses } = await open(t);
  await ready();
  simulator.setFault("silent", true);
  await until("it is lost", () => model.device("bench")?.state === "lost");
  simulator.setFault("silent", false);
  await until("it is back", isReady);
  assert.ok(statuses.some(({ state }) => state === "connecting"));
  const nonsense = createServer((socket) => socket.on("error", () => {}).write("220 mail.example ESMTP\r\n"));
  await new Promise<void>((resolve) => nonsense.listen(0, "127.0.0.1", resolve));
  t.after(() => nonsense.close());
  const wrong = await open(t, MAP, { port: (nonsense.address() as { port: number }).port });
  await until("it is refused", () => wrong.source.status().state === "refused");
});

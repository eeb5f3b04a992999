import { type ScpiCommand, scpiAnswers, scpiCommands } from "@backplane/devices/codecs";
import { supply } from "../kinds/supply.ts";
import type { SocketBody, SocketDevice, SocketKind } from "./socket-kind.ts";

const MAX_A = 3;
const MAX_ERRORS = 20;
const NO_ERROR = ["0", '"No error"'];
const ERRORS = { header: ["-113", '"Undefined header"'], range: ["-222", '"Data out of range"'] };

/** The simulated supply as a Rigol DP800. */
export const scpiSimulator: SocketKind = {
  kind: "scpi",
  name: "SCPI supply",
  description: "A bench supply with two outputs, by SCPI over TCP",
  port: 5_025,
  settings: { outputs: 2 },
  simulates: supply,
  create: (body) => new Supply(body),
};

class Supply implements SocketDevice {
  readonly #body: SocketBody;
  #errors: string[][] = [];

  constructor(body: SocketBody) {
    this.#body = body;
  }

  connect(reply: (bytes: Uint8Array) => void): (bytes: Buffer) => void {
    const reader = scpiCommands.createReader();
    return (bytes) => {
      for (const line of reader.take(bytes)) {
        for (const command of line) {
          const answer = this.#obey(command);
          if (answer) reply(scpiAnswers.write(answer));
        }
      }
    };
  }

  #obey({ header, args }: ScpiCommand): string[] | undefined {
    const short = header.toUpperCase().replace(/^:/, "");
    if (short === "*IDN?") return ["RIGOL TECHNOLOGIES", "DP832", "SIMULATED", "00.01.16"];
    if (short === "*OPC?") return ["1"];
    if (short === "SYST:ERR?") return this.#errors.shift() ?? NO_ERROR;
    if (short === "*CLS") {
      this.#errors = [];
      return undefined;
    }
    const rail = `ch${/^SOUR(\d)/.exec(short)?.[1] ?? /^CH(\d)$/i.exec(args[0] ?? "")?.[1] ?? ""}`;
    if (!Object.hasOwn(supply.nodes, rail)) return this.#fail(ERRORS.header);
    const { on, voltage_v, current_a, limit_a } = this.#body.physics.read(rail);
    const number = (value: unknown) => [Number(value).toFixed(4)];
    if (short === "MEAS:VOLT?") return number(voltage_v);
    if (short === "MEAS:CURR?") return number(current_a);
    if (short === "OUTP?") return [on === true ? "ON" : "OFF"];
    if (/^SOUR\d:CURR\?$/.test(short)) return number(args[0] === "MAX" ? MAX_A : limit_a);
    if (short === "OUTP") return this.#tell(rail, /^(?:ON|1)$/i.test(args[1] ?? "") ? "on" : "off", {});
    if (/^SOUR\d:CURR$/.test(short)) return this.#tell(rail, "limit", { limit_a: Number(args[0]) });
    return this.#fail(ERRORS.header);
  }

  #tell(rail: string, name: string, params: Record<string, number>): undefined {
    this.#body.note({ what: "command", name, params: { rail, ...params } });
    if (this.#body.isLying()) return undefined;
    const answer = this.#body.physics.command?.(rail, name, params);
    return answer?.ok ? undefined : this.#fail(ERRORS.range);
  }

  #fail(error: string[]): undefined {
    if (this.#errors.length < MAX_ERRORS) this.#errors.push(error);
    return undefined;
  }
}

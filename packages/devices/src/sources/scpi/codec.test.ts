import assert from "node:assert/strict";
import { test } from "node:test";
import { codecLaws, decimal, pick } from "../codec-laws.suite.ts";
import { readMeasured, readText, type ScpiAnswer, type ScpiLine, scpiAnswers, scpiCommands } from "./codec.ts";

// SCPI-99 volume 1 and IEEE 488.2; programming guides of the Rigol DP800 and the Keysight E36300.
codecLaws<ScpiLine>("SCPI commands", scpiCommands, {
  examples: [
    { bytes: "*IDN?\n", message: [{ header: "*IDN?", args: [] }] },
    { bytes: "*OPC?\n", message: [{ header: "*OPC?", args: [] }] },
    { bytes: "SYST:ERR?\n", message: [{ header: "SYST:ERR?", args: [] }] },
    { bytes: ":OUTP CH1,ON\n", message: [{ header: ":OUTP", args: ["CH1", "ON"] }] },
    { bytes: "OUTP ON,(@1,2)\n", message: [{ header: "OUTP", args: ["ON", "(@1,2)"] }] },
    { bytes: ":MEAS:VOLT? CH1\n", message: [{ header: ":MEAS:VOLT?", args: ["CH1"] }] },
    {
      bytes: "*RST;*CLS;:SOUR1:CURR 1.5\n",
      message: [
        { header: "*RST", args: [] },
        { header: "*CLS", args: [] },
        { header: ":SOUR1:CURR", args: ["1.5"] },
      ],
    },
    { bytes: 'DISP:TEXT "a;b,c"\n', message: [{ header: "DISP:TEXT", args: ['"a;b,c"'] }] },
    { bytes: "  OUTP  CH1 , ON \r\n", message: [{ header: "OUTP", args: ["CH1", "ON"] }], isReadOnly: true },
  ],
  any: (random) =>
    Array.from({ length: pick(random, [1, 1, 2]) }, () => ({
      header: pick(random, ["*IDN?", ":OUTP", "MEAS:CURR?", ":SOUR2:CURR"]),
      args: pick(random, [[], ["CH2"], ["CH1", "OFF"], [String(decimal(random)), "(@1,3)"], ['"x;y"']]),
    })),
});

codecLaws<ScpiAnswer>("SCPI answers", scpiAnswers, {
  examples: [
    { bytes: '0,"No error"\n', message: ["0", '"No error"'] },
    { bytes: '-113,"Undefined header"\n', message: ["-113", '"Undefined header"'] },
    {
      bytes: "RIGOL TECHNOLOGIES,DP832,DP8A000000,00.01.16\n",
      message: ["RIGOL TECHNOLOGIES", "DP832", "DP8A000000", "00.01.16"],
    },
    { bytes: "+5.00000000E+00\n", message: ["+5.00000000E+00"] },
    { bytes: "1\r\n", message: ["1"], isReadOnly: true },
  ],
  any: (random) =>
    pick(random, [["1"], [String(decimal(random))], ["0", '"No error"'], ["A", "B,".slice(0, 1), '"c,d"']]),
});

test("numbers are numbers, what stands for none is none, and texts lose their quotes", () => {
  assert.deepEqual(["5.0012", "+1.5E-03", "9.91E37", "-9.9E+37", "ON", "0x10", ""].map(readMeasured), [
    ...[5.0012, 0.0015, undefined, undefined, undefined, undefined, undefined],
  ]);
  assert.deepEqual(
    ['"No error"', "'x'", "plain"].map((text) => readText(text)),
    ["No error", "x", "plain"],
  );
});

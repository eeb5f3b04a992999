import type { JsonObject } from "@backplane/contract/panels";
import type { SimulatedCommand, SimulatedField, SimulatedKind, SimulatedNode } from "./simulator.ts";

const json = (value: JsonObject): string => JSON.stringify(value);

function fieldSchema({ unit, min, max, type = "number" }: SimulatedField): JsonObject {
  return {
    type,
    ...(unit === undefined ? {} : { "x-unit": unit }),
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
  };
}

function commandSchema(
  name: string,
  { effect, params = {}, required = Object.keys(params) }: SimulatedCommand,
): JsonObject {
  const properties = {
    name: { const: name },
    params: { type: "object", properties: params, required: [...required], additionalProperties: false },
  };
  return { type: "object", properties, "x-effect": effect };
}

function nodeOf({ name, kind, fields, commands }: SimulatedNode): JsonObject {
  const properties = Object.fromEntries(Object.entries(fields).map(([field, about]) => [field, fieldSchema(about)]));
  const sample = { name: "Sample", datatype: "json", retained: false, format: json({ type: "object", properties }) };
  if (!commands) return { name, type: kind, properties: { sample } };
  const oneOf = Object.entries(commands).map(([command, about]) => commandSchema(command, about));
  return {
    ...{ name, type: kind },
    properties: {
      sample,
      command: { name: "Command", datatype: "json", settable: true, retained: false, format: json({ oneOf }) },
      ack: { name: "Answer", datatype: "json", retained: false },
    },
  };
}

/** The `$description` of Homie 5. */
export function describe({ nodes, model }: Pick<SimulatedKind, "nodes" | "model">, name: string): JsonObject {
  return {
    ...{ homie: "5.0", version: 1, name },
    nodes: Object.fromEntries(Object.entries(nodes).map(([id, node]) => [id, nodeOf(node)])),
    extensions: [],
    "x-maker": "Backplane",
    "x-model": `${model}, simulated`,
  };
}

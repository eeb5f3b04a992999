import { fits } from "../../packages/kit/src/schemas.ts";

type Example = {
  schema?: Parameters<typeof fits>[0];
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
};
type Content = { content?: Record<string, Example> };
/** One operation of the API reference, as far as it is checked here. */
type Operation = {
  description?: string;
  security?: Record<string, string[]>[];
  parameters?: (Example & { name: string; in: string; required?: boolean })[];
  requestBody?: Content;
  responses: Record<string, Content & { description?: string }>;
  "x-problems"?: string[];
};
export type ApiReference = { paths: Record<string, Record<string, Operation>> };

/** Texts that are missing, and examples that are missing or do not fit their schemas. */
export function exampleFaults({ description, parameters = [], requestBody, responses }: Operation): string[] {
  const contents = [["body", requestBody] as const, ...Object.entries(responses)];
  const media = contents.flatMap(([name, part]) =>
    Object.entries(part?.content ?? {})
      .filter(([type]) => type === "application/json")
      .map(([, example]) => ({ name, ...example })),
  );
  return [
    ...(description === undefined ? ["has no description"] : []),
    ...Object.keys(responses).filter((status) => responses[status]?.description === "Default Response"),
    ...[...parameters, ...media]
      .filter((one) => !isShown(one))
      .map(({ name }) => `the example of ${name} does not fit`),
  ];
}

function isShown({ schema, example, examples = {} }: Example): boolean {
  const value = example ?? Object.values(examples)[0]?.value;
  return value !== undefined && (schema === undefined || fits(schema, value));
}

type Call = { method: string; path: string; operation: Operation };

/** Makes a call as its example says, without a credential. Undefined: the answer is one that the reference names. */
export async function contradiction(base: string, { method, path, operation }: Call): Promise<string | undefined> {
  const { parameters = [], security = [], requestBody } = operation;
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const body = media?.example ?? Object.values(media?.examples ?? {})[0]?.value;
  const headers: Record<string, string> = type === undefined ? {} : { "content-type": type };
  const response = await fetch(base + addressOf(path, parameters), {
    ...{ method: method.toUpperCase(), headers, redirect: "manual" },
    ...(type === undefined ? {} : { body: body === undefined ? "" : JSON.stringify(body) }),
  });
  const isProblem = response.headers.get("content-type")?.startsWith("application/problem+json") === true;
  const code = isProblem ? ((await response.json()) as { code: string }).code : undefined;
  if (!isProblem) await response.body?.cancel();
  const isRefused = code === "not-signed-in" || code === "stream-key-needed";
  if (security.length > 0 !== isRefused)
    return `security is ${JSON.stringify(security)}, the answer ${response.status} ${code}`;
  if (code !== undefined && !operation["x-problems"]?.includes(code)) return `does not name ${code}`;
  // What anybody may do must at least be understood.
  return code === "invalid-input" || code === "invalid-parameter" ? `its example is refused: ${code}` : undefined;
}

function addressOf(path: string, parameters: NonNullable<Operation["parameters"]>): string {
  const filled = parameters
    .filter(({ in: place }) => place === "path")
    .reduce((address, { name, example }) => address.replace(`{${name}}`, encodeURIComponent(String(example))), path);
  const query = parameters.filter(({ in: place, required }) => place === "query" && required);
  return query.length === 0
    ? filled
    : `${filled}?${new URLSearchParams(query.map(({ name, example }) => [name, String(example)]))}`;
}

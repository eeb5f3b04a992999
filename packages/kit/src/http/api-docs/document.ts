import { SESSION_COOKIE } from "@backplane/contract/accounts";
import type { FastifySchema } from "fastify";
import { PROBLEM_MEDIA_TYPE, Problem, type ProblemCode, problemBody } from "../../problems.ts";
import { curlOf } from "./curl.ts";
import { exampleOf } from "./example.ts";
import type { Answer, ApiDocument, Media, Operation, Parameter } from "./openapi.ts";
import { ACCESS, COMMON_PROBLEMS, problemsOf } from "./route-schema.ts";

const SECURITY_SCHEMES = {
  browser: {
    type: "apiKey",
    in: "cookie",
    name: SESSION_COOKIE,
    description: "A browser that is signed in. Over https the cookie's name starts with `__Host-`.",
  },
  session: {
    type: "http",
    scheme: "bearer",
    description: "The session token of a program (`tok_…`), which POST /auth/intents leads to.",
  },
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "X-Api-Key",
    description: "An API key (`bpk_…`) from the account page. `Authorization: Bearer` accepts it too.",
  },
  streamKey: {
    type: "http",
    scheme: "bearer",
    description: "The key of a stream that pictures are pushed to (`bpc_…`), which its panel shows once.",
  },
} as const;

/** As the routes are registered: what a route declares becomes part of its operation. */
export function declareOperation(schema: FastifySchema = {}): FastifySchema {
  const { response, produces, access = "anyone" } = schema;
  const content = produces && Object.fromEntries(produces.map((type) => [type, { schema: {} }]));
  return {
    ...schema,
    ...(response === undefined && content ? { response: { 200: { content } } } : {}),
    ...{ "x-access": access, "x-problems": problemsOf(schema) },
  };
}

/** Adds to each operation what follows from its declaration: security, examples, and its problems. HEAD is not listed. */
export function completeDocument(document: ApiDocument): ApiDocument {
  const [server] = document.servers ?? [];
  const paths = Object.entries(document.paths).map(([path, operations]): [string, Record<string, Operation>] => {
    const listed = Object.entries(operations).filter(([method]) => method !== "head");
    const completed = listed.map(([method, operation]): [string, Operation] => {
      const described = complete(operation);
      const source = curlOf({ method, url: `${server?.url ?? ""}${path}`, operation: described });
      return [method, { ...described, "x-codeSamples": [{ lang: "Shell", source }] }];
    });
    return [path, Object.fromEntries(completed)];
  });
  return {
    ...document,
    paths: Object.fromEntries(paths),
    components: {
      ...document.components,
      securitySchemes: SECURITY_SCHEMES,
      responses: { AnyProblem: problemAnswer(COMMON_PROBLEMS) },
      schemas: { ...document.components?.schemas, Problem: PROBLEM_SCHEMA },
    },
  };
}

function complete(operation: Operation): Operation {
  const { "x-access": access = "anyone", "x-problems": problems = [], parameters, requestBody } = operation;
  const { words, schemes, scopes = [] } = ACCESS[access];
  return {
    ...operation,
    description: [operation.description, words].filter((text) => text !== undefined).join("\n\n"),
    security: schemes.flatMap((scheme): Record<string, string[]>[] =>
      scheme === "apiKey" ? scopes.map((scope) => ({ apiKey: [scope] })) : [{ [scheme]: [] }],
    ),
    ...(parameters ? { parameters: parameters.map(withParameterExample) } : {}),
    ...(requestBody ? { requestBody: { ...requestBody, content: withExamples(requestBody.content, false) } } : {}),
    responses: { ...problemAnswers(problems), ...successes(operation), default: ANY_PROBLEM },
  };
}

/** @fastify/swagger takes the examples out of the schema: one becomes `example`, several become `examples`. */
function withParameterExample({ examples = {}, ...parameter }: Parameter): Parameter {
  const { name, schema } = parameter;
  const [own = parameter.example] = Object.values(examples).map(({ value }) => value);
  return { ...parameter, example: own ?? exampleOf(schema, { name, isWhole: true }) };
}

/** Files have no example, and an example that is there stays. */
function withExamples(content: Record<string, Media>, isWhole: boolean): Record<string, Media> {
  const all = Object.entries(content).map(([type, media]): [string, Media] => {
    const isShown = media.examples !== undefined || media.example !== undefined;
    if (!type.endsWith("json") || !media.schema || isShown) return [type, media];
    return [type, { ...media, example: exampleOf(media.schema, { isWhole }) }];
  });
  return Object.fromEntries(all);
}

const SUCCESS_WORDS: Readonly<Record<string, string>> = {
  200: "Success",
  201: "Created",
  204: "Success; the answer has no body",
  303: "Continue at the address in `Location`",
  503: "Not ready",
};

/** What @fastify/swagger writes where a schema has no description. */
const NO_DESCRIPTION = "Default Response";

function successes({ responses }: Operation): Record<string, Answer> {
  const all = Object.entries(responses as Record<string, Answer>).map(([status, answer]): [string, Answer] => {
    const { description, content } = answer;
    const words = description === NO_DESCRIPTION ? (SUCCESS_WORDS[status] ?? "Answer") : description;
    return [status, { ...answer, description: words, ...(content ? { content: withExamples(content, true) } : {}) }];
  });
  return Object.fromEntries(all);
}

const ANY_PROBLEM = { $ref: "#/components/responses/AnyProblem" };

function problemAnswers(codes: readonly ProblemCode[]): Record<string, Answer> {
  const byStatus = Map.groupBy(codes, (code) => new Problem(code).status);
  return Object.fromEntries([...byStatus].map(([status, some]) => [status, problemAnswer(some)]));
}

const problemAnswer = (codes: readonly ProblemCode[]): Answer => ({
  description: codes.map((code) => `- \`${code}\`: ${new Problem(code).title}`).join("\n"),
  content: {
    [PROBLEM_MEDIA_TYPE]: {
      schema: { $ref: "#/components/schemas/Problem" },
      examples: Object.fromEntries(
        codes.map((code) => [code, { value: problemBody(new Problem(code), EXAMPLE_INSTANCE) }]),
      ),
    },
  },
});

const EXAMPLE_INSTANCE = "5f0c1d2e-8a4b-4c6d-9e7f-0a1b2c3d4e5f";

/** RFC 9457, as `problemBody` writes it. */
const PROBLEM_SCHEMA = {
  type: "object",
  required: ["type", "title", "status", "error", "instance", "code"],
  properties: {
    type: { type: "string", description: "`urn:backplane:problem:` and the code" },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string", description: "What happened, and the next step" },
    error: { type: "string", description: "The title again: older programs show this" },
    instance: { type: "string", description: "The id of the request, as in X-Request-Id" },
    code: { type: "string", description: "Stable: programs decide by it" },
    errors: {
      type: "array",
      items: {
        type: "object",
        required: ["pointer", "message"],
        properties: { pointer: { type: "string", description: "JSON pointer" }, message: { type: "string" } },
      },
    },
  },
} as const;

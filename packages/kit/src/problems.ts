import { ERRORS, type FieldFault, type ProblemBody, type ProblemCode } from "@backplane/contract/problems";

export {
  type FieldFault,
  isProblemCode,
  PROBLEM_MEDIA_TYPE,
  type ProblemBody,
  type ProblemCode,
} from "@backplane/contract/problems";

export type ProblemOptions = {
  detail?: string;
  errors?: readonly FieldFault[];
  headers?: Readonly<Record<string, string>>;
  cause?: unknown;
};

/** An error for the caller: its texts are written for them, its cause is for the log. */
export class Problem extends Error {
  override name = "Problem";
  readonly code: ProblemCode;
  readonly status: number;
  readonly title: string;
  readonly detail: string | undefined;
  readonly errors: readonly FieldFault[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ProblemCode, options: ProblemOptions = {}) {
    const [status, title] = ERRORS[code];
    super(options.detail ?? title, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = status;
    this.title = title;
    this.detail = options.detail;
    this.errors = options.errors;
    this.headers = options.headers ?? {};
  }
}

export function problemBody(problem: Problem, instance: string): ProblemBody {
  return {
    type: `urn:backplane:problem:${problem.code}`,
    title: problem.title,
    status: problem.status,
    ...(problem.detail === undefined ? {} : { detail: problem.detail }),
    error: problem.title,
    instance,
    code: problem.code,
    ...(problem.errors === undefined ? {} : { errors: problem.errors }),
  };
}

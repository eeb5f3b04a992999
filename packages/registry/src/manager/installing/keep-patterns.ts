import { type Context, createContext, runInContext } from "node:vm";

/** Patterns come from other people, so their number, length and time are limited. */
export const KEEP_LIMITS = {
  maxPatterns: 200,
  maxPatternCharacters: 1_000,
  patternMs: 500,
  /** For all patterns of a change. */
  budgetMs: 2_000,
} as const;

export type KeepMatches = {
  kept: Set<string>;
  /** Files for which a pattern could not be evaluated. */
  undecided: Set<string>;
  /** For people: which pattern, and what is wrong with it. */
  warnings: string[];
};

/**
 * Which files the keep_on_update patterns match. As in KiCad, a pattern may match anywhere in
 * "/plugins/com_example_x/file". They run in a separate vm context, because only there a running expression can be stopped.
 */
export function matchKeepPatterns(
  patterns: readonly string[],
  paths: readonly string[],
  limits: { readonly [name in keyof typeof KEEP_LIMITS]: number } = KEEP_LIMITS,
): KeepMatches {
  const matches: KeepMatches = { kept: new Set(), undecided: new Set(), warnings: [] };
  if (patterns.length === 0 || paths.length === 0) return withSyntaxWarnings(patterns, matches);
  const context = createContext(Object.assign(Object.create(null), { text: JSON.stringify(paths) }));
  runInContext("const paths = JSON.parse(text).map((path) => '/' + path); let decided = 0; let hits = [];", context);
  let leftMs = limits.budgetMs;
  for (const [index, pattern] of patterns.entries()) {
    const startedMs = performance.now();
    const fault =
      index >= limits.maxPatterns || pattern.length > limits.maxPatternCharacters
        ? "is too long, or there are too many patterns"
        : leftMs < 1
          ? "was not tried, because other patterns took too long"
          : runPattern(context, pattern, Math.min(limits.patternMs, Math.floor(leftMs)));
    leftMs -= performance.now() - startedMs;
    if (fault !== undefined) matches.warnings.push(warning(pattern, fault));
    const isRun = fault === undefined || fault === TOO_SLOW;
    const { decided, hits } = isRun ? resultOf(context) : { decided: 0, hits: [] };
    for (const hit of hits) matches.kept.add(paths[hit] ?? "");
    if (fault !== undefined) for (const path of paths.slice(decided)) matches.undecided.add(path);
  }
  for (const path of matches.kept) matches.undecided.delete(path);
  return matches;
}

const TOO_SLOW = "takes too long";

/** What is wrong with the pattern; undefined if it was tried on every path. */
function runPattern(context: Context, pattern: string, timeoutMs: number): string | undefined {
  context.pattern = pattern;
  try {
    runInContext(
      `decided = 0; hits = [];
      for (const expression = new RegExp(pattern); decided < paths.length; decided++) {
        if (expression.test(paths[decided])) hits.push(decided);
      }`,
      context,
      { timeout: timeoutMs },
    );
    return undefined;
  } catch (error) {
    return patternFault(error);
  }
}

function patternFault(error: unknown): string {
  const { code, name, message } = error as { code?: unknown; name?: unknown; message?: unknown };
  if (code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return TOO_SLOW;
  return name === "SyntaxError" ? "is not a regular expression" : `cannot be used: ${String(message)}`;
}

function resultOf(context: Context): { decided: number; hits: number[] } {
  return JSON.parse(String(runInContext("JSON.stringify({ decided, hits })", context))) as {
    decided: number;
    hits: number[];
  };
}

/** There is nothing to match, but the plan should still mention bad patterns. */
function withSyntaxWarnings(patterns: readonly string[], matches: KeepMatches): KeepMatches {
  for (const pattern of patterns) {
    try {
      new RegExp(pattern);
    } catch {
      matches.warnings.push(warning(pattern, "is not a regular expression"));
    }
  }
  return matches;
}

const SHOWN_CHARACTERS = 80;

function warning(pattern: string, fault: string): string {
  const shown = pattern.length > SHOWN_CHARACTERS ? `${pattern.slice(0, SHOWN_CHARACTERS)}…` : pattern;
  return `The keep_on_update pattern ${JSON.stringify(shown)} ${fault}. Tell the package's author.`;
}

/**
 * What the frame runs: the script as a module, so that `await` and `export` work as they do elsewhere. Its default export
 * is the result. It is named "code", by which the frame knows its lines in errors.
 */
export function scriptCode(source: string): string {
  return `(${runModule})(${JSON.stringify(`${source}\n//# sourceURL=code`)})`;
}

/** Sent as text: it must use nothing from outside of itself. */
const runModule = `async (source) => {
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  try {
    return (await import(url)).default;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // Only the event says on which line: the same module again, which does not run.
    throw await new Promise((resolve) => {
      const place = (event) => {
        event.preventDefault();
        if (event.lineno) error.message += ", line " + event.lineno;
        resolve(error);
      };
      addEventListener("error", place, { once: true, capture: true });
      const script = document.createElement("script");
      script.type = "module";
      script.src = url;
      document.head.append(script);
      setTimeout(resolve, 1000, error);
    });
  } finally {
    URL.revokeObjectURL(url);
  }
}`;

const IMPORTS = /Failed to resolve module specifier ["'](?<name>[^"']+)["']/;

/** Words of our own for what the frame cannot know: why a script that works elsewhere does not here. */
export function explain(error: string): string {
  const name = IMPORTS.exec(error)?.groups?.name;
  return name === undefined
    ? error
    : `${error}\nScripts run alone here: put what ${name} gives into the script itself.`;
}

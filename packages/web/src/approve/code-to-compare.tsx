/** The code in large letters; read out letter by letter. */
export function CodeToCompare({ code }: { code: string }) {
  const halves = code.split("-");
  return (
    <div className="code-box">
      <p className="field-label">Does the program show this code?</p>
      <div className="code" role="img" aria-label={`Confirmation code ${halves.map(spelled).join(", ")}`}>
        {halves.map((half, place) => (
          <span className="half" key={half + String(place)}>
            {[...half].map((letter, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a letter is its place
              <b key={at}>{letter}</b>
            ))}
          </span>
        ))}
      </div>
      <p className="dense muted">If it shows another code, or none, deny.</p>
    </div>
  );
}

const spelled = (half: string): string => [...half].join(" ");

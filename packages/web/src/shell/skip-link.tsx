/** A button rather than an anchor: #main in the address would be a navigation to the router. */
export function SkipLink() {
  return (
    <button className="skip btn" type="button" onClick={() => document.getElementById("main")?.focus()}>
      Skip to content
    </button>
  );
}

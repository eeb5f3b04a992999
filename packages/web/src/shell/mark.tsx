/** Three cards on their backplane, together a B. */
export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 24 24" aria-hidden="true">
      <path d="M2 2h4v20H2zM9 2h10l3 3v3H9zM9 10h11v4H9zM9 16h13v3l-3 3H9z" />
      <path className="contacts" d="M6 4h3v2H6zM6 11h3v2H6zM6 18h3v2H6z" />
    </svg>
  );
}

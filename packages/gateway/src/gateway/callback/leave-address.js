// On every page: what the provider sent leaves the address bar, and with it the history (RFC 9700, 4.3.1).
history.replaceState(null, "", location.origin + location.pathname);

// Only the browser knows the zone of who reads this.
for (const time of document.querySelectorAll("time")) {
  time.textContent = new Date(time.dateTime).toTimeString().slice(0, 8);
}

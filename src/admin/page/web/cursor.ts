import type { App } from './app.ts';

/** The row that the keyboard is at: one row of the table can be reached by Tab, the others by arrows from there. */
export function moveCursor(app: App, steps: number): void {
  const { requests } = app.list;
  if (app.route.view !== 'requests' || requests.length === 0) return;
  const from = requests.findIndex(({ href }) => href === app.cursor);
  const to = from === -1 ? 0 : Math.min(Math.max(from + steps, 0), Math.min(requests.length, app.rows) - 1);
  const request = requests[to];
  if (request === undefined) return;
  app.cursor = request.href;
  if (app.open !== undefined) app.go(app.routeTo(request), true);
  focusRow(request.href);
}

/** After the next drawing, as the row may have to be drawn first. */
export function focusRow(href: string | undefined): void {
  if (href === undefined) return;
  requestAnimationFrame(() => document.querySelector<HTMLElement>(`.row-link[data-request="${CSS.escape(href)}"]`)?.focus());
}

/** A person has opened a request: once it is drawn, their keyboard goes on there. */
export function focusDetailOnce(app: App): void {
  if (app.focusWanted === undefined || app.detail.value?.summary.href !== app.focusWanted) return;
  app.focusWanted = undefined;
  document.querySelector<HTMLElement>('.detail h2')?.focus();
}

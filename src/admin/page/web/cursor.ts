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
function focusRow(href: string | undefined): void {
  if (href === undefined) return;
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>(`.row-link[data-request="${CSS.escape(href)}"]`)?.focus(),
  );
}

/**
 * A person has opened or closed a request: once that is drawn, their keyboard goes on at its heading, or at its row.
 */
export function settleFocus(app: App): void {
  if (app.focusWanted !== undefined && app.detail.value?.summary.href === app.focusWanted) {
    app.focusWanted = undefined;
    document.querySelector<HTMLElement>('.detail h2')?.focus();
  }
  if (app.rowWanted !== undefined && app.open === undefined) {
    focusRow(app.rowWanted);
    app.rowWanted = undefined;
  }
}

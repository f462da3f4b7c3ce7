import type { App } from './app.ts';
import { moveCursor } from './cursor.ts';

interface Shortcut {
  readonly keys: readonly string[];
  readonly does: string;
  readonly run: (app: App) => void;
  /** Works on all views, not only on the list. */
  readonly anywhere?: true;
}

/** As the help shows them. They work wherever nothing is being typed. */
export const SHORTCUTS: readonly Shortcut[] = [
  { keys: ['j', 'ArrowDown'], does: 'next request', run: (app) => moveCursor(app, 1) },
  { keys: ['k', 'ArrowUp'], does: 'previous request', run: (app) => moveCursor(app, -1) },
  { keys: ['Escape'], does: 'close what is open', run: closeDetail },
  { keys: ['/'], does: 'go to the filters', run: () => focus('.filters input') },
  { keys: ['e'], does: 'failures only, or all', run: (app) => app.toggle('errors') },
  { keys: ['s'], does: 'slow ones only, or all', run: (app) => app.toggle('slow') },
  { keys: ['p'], does: 'pause or resume', run: (app) => app.togglePause() },
  {
    keys: ['v'],
    does: 'the overview; again: of the last day, or hour',
    run: (app) => app.go({ view: 'overview', window: otherWindow(app) }),
    anywhere: true,
  },
  { keys: ['r'], does: 'the requests', run: (app) => app.go({ view: 'requests', filter: app.filter }), anywhere: true },
  { keys: ['b'], does: 'the buckets', run: (app) => app.go({ view: 'buckets' }), anywhere: true },
  {
    keys: ['o'],
    does: 'look at an object',
    run: (app) => app.go({ view: 'object', bucket: app.filter.bucket ?? '', key: '' }),
    anywhere: true,
  },
  {
    keys: ['?'],
    does: 'this help',
    run: () => document.querySelector<HTMLDialogElement>('dialog.help')?.showModal(),
    anywhere: true,
  },
];

const KEYS_OFF = 's3-gateway-inspector-keys-off';

/** Shortcuts of one key get in the way of some who speak to their computer: they can be turned off. */
export function shortcutsOn(): boolean {
  return localStorage.getItem(KEYS_OFF) === null;
}

export function turnShortcuts(on: boolean): void {
  if (on) localStorage.removeItem(KEYS_OFF);
  else localStorage.setItem(KEYS_OFF, 'yes');
}

export function listenToKeys(app: App): void {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]') !== null) return;
    if (isTyping(event.target)) {
      if (event.key === 'Escape' && event.target instanceof HTMLElement) event.target.blur();
      return;
    }
    if (!shortcutsOn() && event.key.length === 1) return;
    const shortcut = SHORTCUTS.find(({ keys }) => keys.includes(event.key));
    if (shortcut === undefined || (app.route.view !== 'requests' && shortcut.anywhere !== true)) return;
    if (event.key.startsWith('Arrow') && !isInList(event.target)) return;
    event.preventDefault();
    shortcut.run(app);
  });
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input:not([type=checkbox]), textarea, select');
}

/** Arrows scroll elsewhere. */
function isInList(target: EventTarget | null): boolean {
  return target === document.body || (target instanceof HTMLElement && target.closest('.requests') !== null);
}

function otherWindow({ route, window }: App): App['window'] {
  if (route.view !== 'overview') return window;
  return window === 'hour' ? 'day' : 'hour';
}

function closeDetail(app: App): void {
  if (app.open !== undefined) app.close();
}

function focus(selector: string): void {
  const found = document.querySelector<HTMLElement>(selector);
  if (found === null) return;
  const fold = found.closest('details');
  if (fold !== null) fold.open = true;
  found.focus();
}

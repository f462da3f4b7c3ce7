import { html } from 'lit-html';
import { SHORTCUTS, shortcutsOn, turnShortcuts } from '../keyboard.ts';
import type { View } from './parts.ts';

const KEY_NAMES: Readonly<Record<string, string>> = { ArrowDown: '↓', ArrowUp: '↑', Escape: 'Esc' };

export function openHelp(): void {
  document.querySelector<HTMLDialogElement>('dialog.help')?.showModal();
}

export function helpDialog(): View {
  const turn = (event: Event): void => turnShortcuts((event.target as HTMLInputElement).checked);
  return html`<dialog class="help" aria-labelledby="help-title">
    <form method="dialog">
      <h2 id="help-title">Keys</h2>
      <dl class="keys">
        ${SHORTCUTS.map(({ keys, does }) => html`<div><dt>${keys.map((key) => html`<kbd>${KEY_NAMES[key] ?? key}</kbd> `)}</dt><dd>${does}</dd></div>`)}
        <div><dt><kbd>Enter</kbd></dt><dd>open the request</dd></div>
      </dl>
      <label class="switch"><input type="checkbox" .checked=${shortcutsOn()} @change=${turn}> keys of one letter</label>
      <p class="quiet">Requests are kept in the memory of each replica, newest first; failures and slow ones stay longer. Credentials are never kept:
        in their place stand their length and a piece of their SHA-256.</p>
      <button>Close</button>
    </form>
  </dialog>`;
}

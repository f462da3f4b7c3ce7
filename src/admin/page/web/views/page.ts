import { html, nothing } from 'lit-html';
import type { App } from '../app.ts';
import { writeRoute } from '../route.ts';
import { bucketsPage } from './buckets.ts';
import { listPage } from './list.ts';
import { objectPage } from './object.ts';
import { overviewPage } from './overview.ts';
import type { View } from './parts.ts';
import { replicaChips } from './replicas.ts';
import { timelinePage } from './timeline.ts';
import { THEMES, chooseTheme, currentTheme } from '../theme.ts';
import { SHORTCUTS, shortcutsOn, turnShortcuts } from '../keyboard.ts';

export function pageView(app: App): View {
  return html`
    <header class="top">
      <h1><a href=${writeRoute({ view: 'overview', window: 'hour' })}>Inspector</a></h1>
      <nav aria-label="Views">
        ${tab(app, 'Overview', writeRoute({ view: 'overview', window: app.window }), 'overview')}
        ${tab(app, 'Requests', writeRoute({ view: 'requests', filter: app.filter }), 'requests')}
        ${tab(app, 'Buckets', writeRoute({ view: 'buckets' }), 'buckets')}
        ${tab(app, 'Object', writeRoute({ view: 'object', bucket: app.filter.bucket ?? '', key: '' }), 'object')}
        ${app.route.view === 'timeline' ? tab(app, 'Timeline', writeRoute(app.route), 'timeline') : nothing}
      </nav>
      ${app.tokenNeeded ? nothing : replicaChips(app)}
      <div class="tools">
        ${app.session.value?.required === true && !app.tokenNeeded ? html`<button type="button" class="plain" @click=${() => app.logOut()}>Sign out</button>` : nothing}
        ${themeChoice()}
        <button type="button" class="plain" @click=${openHelp} aria-label="Help and shortcuts" title="Help and shortcuts (?)">?</button>
      </div>
    </header>
    <main>${app.tokenNeeded ? loginView(app) : VIEWS[app.route.view](app)}</main>
    <p class="toast" role="status" ?data-empty=${app.message === ''}>${app.message}</p>
    ${helpDialog()}`;
}

const VIEWS: Readonly<Record<App['route']['view'], (app: App) => View>> = {
  overview: overviewPage,
  requests: listPage,
  buckets: bucketsPage,
  object: objectPage,
  timeline: timelinePage,
};

function tab(app: App, name: string, href: string, view: App['route']['view']): View {
  return html`<a href=${href} aria-current=${app.route.view === view ? 'page' : nothing}>${name}</a>`;
}

function themeChoice(): View {
  const choose = (event: Event): void => {
    const { value } = event.target as HTMLSelectElement;
    chooseTheme(THEMES.find((theme) => theme === value) ?? 'auto');
  };
  const current = currentTheme();
  return html`<select class="plain" aria-label="Colours" title="Colours" @change=${choose}>
    ${THEMES.map((theme) => html`<option value=${theme} ?selected=${theme === current}>${theme}</option>`)}
  </select>`;
}

const KEY_NAMES: Readonly<Record<string, string>> = { ArrowDown: '↓', ArrowUp: '↑', Escape: 'Esc' };

function openHelp(): void {
  document.querySelector<HTMLDialogElement>('dialog.help')?.showModal();
}

function helpDialog(): View {
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

/** The admin port asks for a token. The server keeps it in a cookie that no script can read. */
function loginView(app: App): View {
  const send = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const token = new FormData(form).get('token');
    form.reset();
    if (typeof token === 'string') await app.logIn(token);
  };
  return html`<form class="login" @submit=${send} autocomplete="off">
    <h2>This port asks for a token</h2>
    <p class="quiet">The setting <code>admin.token</code> of the gateway, or a token of a Kubernetes service account that may look.</p>
    <label><span>Token</span> <input name="token" type="password" required autocomplete="current-password"></label>
    <button>Go on</button>
    ${app.loginFailure === '' ? '' : html`<p class="callout bad" role="alert">${app.loginFailure}</p>`}
  </form>`;
}

import { html, nothing } from 'lit-html';
import type { App } from '../app.ts';
import { writeRoute } from '../route.ts';
import { helpDialog, openHelp } from './help.ts';
import { listPage } from './list.ts';
import { loginView } from './login.ts';
import { objectPage } from './object.ts';
import type { View } from './parts.ts';
import { replicaChips } from './replicas.ts';
import { themeChoice } from './theme-choice.ts';
import { timelinePage } from './timeline.ts';

export function pageView(app: App): View {
  return html`
    <header class="top">
      <h1><a href=${writeRoute({ view: 'requests', filter: {} })}>Inspector</a></h1>
      <nav aria-label="Views">
        ${tab(app, 'Requests', writeRoute({ view: 'requests', filter: app.filter }), 'requests')}
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
  requests: listPage,
  object: objectPage,
  timeline: timelinePage,
};

function tab(app: App, name: string, href: string, view: App['route']['view']): View {
  return html`<a href=${href} aria-current=${app.route.view === view ? 'page' : nothing}>${name}</a>`;
}

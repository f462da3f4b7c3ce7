import { html } from 'lit-html';
import type { App } from '../app.ts';
import type { View } from './parts.ts';

/** The admin port asks for a token. The server keeps it in a cookie that no script can read. */
export function loginView(app: App): View {
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

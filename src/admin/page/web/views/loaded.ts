import { html, nothing } from 'lit-html';
import type { Loaded } from '../resource.ts';
import type { View } from './parts.ts';

/** What is there, or how far it has come. */
export function whenLoaded<T>(loaded: Loaded<T>, view: (value: T) => View): View {
  if (loaded.state === 'ready') return view(loaded.value);
  if (loaded.state === 'loading') return html`<p class="quiet" role="status">Loading…</p>`;
  return loaded.state === 'failed' ? html`<p class="callout bad" role="alert">${loaded.reason}</p>` : nothing;
}

import { html } from 'lit-html';
import { chooseTheme, currentTheme, THEMES } from '../theme.ts';
import type { View } from './parts.ts';

export function themeChoice(): View {
  const choose = (event: Event): void => {
    const { value } = event.target as HTMLSelectElement;
    chooseTheme(THEMES.find((theme) => theme === value) ?? 'auto');
  };
  const current = currentTheme();
  return html`<select class="plain" aria-label="Colours" title="Colours" @change=${choose}>
    ${THEMES.map((theme) => html`<option value=${theme} ?selected=${theme === current}>${theme}</option>`)}
  </select>`;
}

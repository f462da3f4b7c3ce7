type Theme = 'auto' | 'light' | 'dark';

export const THEMES: readonly Theme[] = ['auto', 'light', 'dark'];

const NAME = 's3-gateway-inspector-theme';

/** As chosen in this browser; `auto` follows the system. */
export function currentTheme(): Theme {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem(NAME)) ?? 'auto';
  } catch {
    return 'auto';
  }
}

export function chooseTheme(theme: Theme): void {
  try {
    localStorage.setItem(NAME, theme);
  } catch {
    // A browser that stores nothing forgets the choice.
  }
  applyTheme(theme);
}

export function applyTheme(theme = currentTheme()): void {
  document.documentElement.dataset['theme'] = theme;
}

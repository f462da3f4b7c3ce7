import { render } from 'lit-html';
import { App } from './app.ts';
import { settleFocus } from './cursor.ts';
import { listenToKeys } from './keyboard.ts';
import { applyTheme } from './theme.ts';
import { pageView } from './views/page.ts';

/** Durations of running requests grow on the screen. */
const TICK_MS = 1000;

let drawing = false;

const app: App = new App(() => {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    render(pageView(app), document.body);
    settleFocus(app);
  });
});

applyTheme();
listenToKeys(app);
window.addEventListener('hashchange', () => app.follow(location.hash));
setInterval(() => app.tick(), TICK_MS);
app.follow(location.hash);

/** The beginning of the page. */
import { render } from 'preact';
import { App } from './app.tsx';
import { listenForKeys } from './state/commands.ts';
import { mindDoubleClicks } from './state/double-click.ts';
import { followWhileSignedIn } from './state/live.ts';
import { start } from './state/service.ts';

render(<App />, document.getElementById('app') as HTMLElement);
followWhileSignedIn();
listenForKeys();
mindDoubleClicks();
void start();
